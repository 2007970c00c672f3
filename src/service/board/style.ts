import { themed } from '../tracking-page/style.ts';

/** The inline style of the board: columns on a screen, one list on a phone. */
export const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1rem/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;padding:.8rem 1rem}
header b{font-size:1.2rem}
#net{flex:1;color:var(--soft)}
#net.bad,.late{color:var(--late);font-weight:600}
#said{padding:0 1rem .6rem;color:var(--bad);font-weight:600}
#said:empty{display:none}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.85rem}
.soft{color:var(--soft);font-size:.9rem}
h2{font-size:1rem;margin-bottom:.5rem}
h2 span{color:var(--soft);font-weight:400}
ol,ul{list-style:none;padding:0;display:grid;gap:.6rem}
main{display:grid;gap:1rem;padding:0 1rem 2rem}
#groups{display:grid;gap:1rem;align-items:start}
aside{display:grid;gap:1rem;align-content:start}
li{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.7rem .8rem;display:grid;gap:.25rem}
li.is-late{border-left:4px solid var(--late)}
li[draggable=true]{cursor:grab}
#drivers li.over{outline:3px dashed var(--accent);outline-offset:2px}
#drivers li.off{opacity:.75}
svg{display:block;width:100%;background:var(--land);border:1px solid var(--line);border-radius:12px}
svg text{font:600 11px system-ui,sans-serif;fill:var(--ink);paint-order:stroke;stroke:var(--land);stroke-width:3px}
svg .driver{fill:var(--accent)}
svg .courier{fill:var(--soft)}
svg .scale{stroke:var(--soft);stroke-width:2;fill:none}
label{font-size:.9rem;color:var(--soft)}
select,input,button{font:inherit;min-height:2.5rem;border-radius:8px;border:1px solid var(--soft);background:var(--paper);color:var(--ink);padding:.3rem .6rem;max-width:100%;width:100%}
button{width:auto;cursor:pointer;font-weight:600;background:var(--accent);border-color:var(--accent);color:var(--onaccent)}
button.plain{background:var(--card);color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
#enter{max-width:26rem;margin:3rem auto;padding:0 1rem;display:grid;gap:.8rem}
h1{font-size:1.3rem}
noscript p{padding:1rem}
[hidden]{display:none!important}
@media(min-width:60rem){
main{grid-template-columns:20rem 1fr}
#groups{grid-template-columns:repeat(auto-fit,minmax(11rem,1fr))}
}
`);
