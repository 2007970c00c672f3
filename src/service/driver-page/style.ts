import { themed } from '../tracking-page/style.ts';

/** The inline style of the driver's page: large type and buttons, for a phone in a car. */
export const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1.125rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header,main,footer{max-width:34rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.5rem 1rem;padding-top:1rem;padding-bottom:1rem}
header b{font-size:1.25rem}
h1{font-size:1.25rem;margin:1rem 0 .6rem}
h2{font-size:1.25rem;line-height:1.25}
h2 small{display:block;font-size:1rem;font-weight:600;color:var(--accent)}
ol{list-style:none;padding:0;display:grid;gap:.9rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:16px;padding:1.1rem}
.card>*+*{margin-top:.6rem}
.offer{border:2px solid var(--accent);margin-bottom:.9rem}
.alert{color:var(--bad);font-weight:600}
.soft{color:var(--soft)}
.kept{white-space:pre-wrap}
ul{padding-left:1.2rem}
.row{display:flex;flex-wrap:wrap;gap:.6rem}
.row>*{flex:1 1 8rem}
button,.row a{display:block;width:100%;min-height:3.5rem;padding:.7rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:12px;border:2px solid var(--accent);background:var(--accent);color:var(--onaccent);cursor:pointer}
.row a,button.plain{background:var(--card);color:var(--accent)}
button.bad{background:var(--card);color:var(--bad);border-color:var(--bad)}
header button{width:auto}
button:disabled{opacity:.5}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.steps button[data-at]{display:none}
[data-step="0"] .steps [data-at="0"],[data-step="1"] .steps [data-at="1"],[data-step="2"] .steps [data-at="2"]{display:block}
.waiting .steps{display:none}
.waits{display:none}
.waiting .waits{display:block}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.85rem}
#net,#said{max-width:34rem;margin:0 auto .8rem;padding:.6rem 1rem;font-weight:600}
#net{color:var(--late)}
#said{color:var(--bad)}
#said:empty{display:none}
dialog{margin:auto;width:min(34rem,calc(100vw - 1.5rem));border:1px solid var(--line);border-radius:16px;background:var(--card);color:var(--ink);padding:1.1rem}
dialog::backdrop{background:#0009}
dialog form>*+*,dialog form>div>*+*,fieldset>*+*{margin-top:.8rem}
dialog label{display:block}
fieldset{border:0;padding:0}
fieldset label{display:flex;gap:.7rem;align-items:center;min-height:3rem}
input,textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:10px;padding:.6rem;width:100%}
input[type=radio]{width:1.5rem;height:1.5rem;flex:none}
canvas{display:block;width:100%;height:9rem;background:#fff;border:1px solid var(--soft);border-radius:10px;touch-action:none}
footer{padding-top:1.2rem;padding-bottom:2.5rem;font-size:.95rem;color:var(--soft)}
[hidden]{display:none!important}
`);
