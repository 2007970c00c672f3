import { themed } from '../tracking-page/markup.ts';

/** The inline style of the driver's page: large type and buttons, for a phone in a car. */
export const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1.125rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header,main,footer,#unsent{max-width:34rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.5rem 1rem;padding-top:.8rem;padding-bottom:.8rem}
header b{font-size:1.125rem}
header button{width:auto}
h1{font-size:1rem;font-weight:600;color:var(--soft);margin:.2rem 0 .5rem}
h2{font-size:min(1.7rem,10vw);line-height:1.2}
h2 small{display:block;font-size:1rem;font-weight:700;color:var(--accent)}
h3{font-size:1.25rem;line-height:1.25}
dialog h2{font-size:1.35rem}
ol,.orders{list-style:none;padding:0}
ol{display:grid;gap:.6rem;counter-reset:stop}
.card{background:var(--card);border:1px solid var(--line);border-radius:16px;padding:1.1rem}
.offer>*+*,.body>*+*,.recipient>*+*{margin-top:.7rem}
.offer{border:2px solid var(--accent);margin-bottom:.9rem}
.stop{counter-increment:stop}
.stop:first-child .fold,.stop:not(:first-child):not(.open) .body{display:none}
.stop:not(:first-child){padding:0}
.stop:not(:first-child) .body{padding:0 1.1rem 1.1rem}
.stop:not(:first-child) h2{display:none}
.stop .fold{display:flex;gap:.7rem;align-items:center;text-align:left;padding:.7rem 1.1rem;border:0;background:none;color:var(--ink);font-weight:400}
.fold span{flex:1}
.fold small{display:block;font-size:1rem;color:var(--soft)}
.fold::before{content:counter(stop);flex:none;min-width:2rem;line-height:2rem;padding:0 .3rem;border-radius:1rem;background:var(--line);text-align:center;font-weight:700}
.fold::after{content:"";flex:none;width:.65rem;height:.65rem;border:solid var(--soft);border-width:0 3px 3px 0;transform:translateY(-.15rem) rotate(45deg)}
.open .fold::after{transform:translateY(.15rem) rotate(225deg)}
.door{font-size:1.25rem;font-weight:600}
.door small{display:block;font-size:1rem;font-weight:400;color:var(--soft)}
.recipient:not(:only-of-type){border-top:1px solid var(--line);padding-top:.9rem}
.orders label,.orders span{display:flow-root}
.orders li+li{border-top:1px solid var(--line)}
.orders li{padding:.5rem 0}
.orders label{display:flex;gap:.8rem;align-items:center;min-height:3rem}
.alert{color:var(--bad);font-weight:600}
.soft{color:var(--soft)}
.kept{white-space:pre-wrap}
.row,.steps{display:flex;flex-wrap:wrap;gap:.6rem}
.row>*{flex:1 1 6rem}
button,.row a{display:block;width:100%;min-height:max(3rem,48px);padding:.6rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:12px;border:2px solid var(--accent);background:var(--accent);color:var(--onaccent);cursor:pointer}
button.main{min-height:max(4.75rem,76px);padding:.6rem .5rem;font-size:min(1.35rem,9vw)}
input::file-selector-button{font:inherit;font-size:min(1em,5.5vw);font-weight:600;margin-right:.7rem;padding:.2rem .7rem;border:0;border-radius:8px;background:var(--accent);color:var(--onaccent)}
@media(max-width:16em){.fold::after{display:none}}
.row a,button.plain{background:var(--card);color:var(--accent)}
button.bad{background:var(--card);color:var(--bad);border-color:var(--bad)}
button:disabled{opacity:.5}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.steps button[data-at]{display:none}
[data-step="0"] .steps [data-at="0"],[data-step="1"] .steps [data-at="1"],[data-step="2"] .steps [data-at="2"]{display:block}
.waiting .steps,.waits,[data-kind=dropoff][data-step="2"] .body>.steps,.steps:not(:has([data-at="0"],[data-at="1"])):not([data-step="2"] *){display:none}
.waiting .waits{display:block}
@media(min-height:30em){.stop:first-child .body>.steps:has(.main),.stop:first-child .recipient:only-of-type>.steps:has(.main){position:sticky;bottom:0;padding:.5rem 0;background:var(--card)}}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.85rem}
.offer .door span{display:block}
.count{font-weight:600;color:var(--late)}
#net,#said,#news{max-width:34rem;margin:0 auto .8rem;padding:0 1rem;font-weight:600}
#net{color:var(--late)}
#said{color:var(--bad)}
#news{color:var(--accent)}
#said:empty,#news:empty{display:none}
#undo{position:fixed;top:0;left:0;right:0;z-index:1;display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.6rem 1rem;background:var(--ink);color:var(--paper);font-weight:600}
#undo button{width:auto;flex:none;background:none;color:inherit;border-color:currentColor}
#unsent{padding-top:1rem}
#unsent p{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.5rem 0;border-top:1px solid var(--line)}
#unsent button{width:auto;flex:none}
dialog{margin:auto;width:min(34rem,calc(100vw - 1.5rem));border:1px solid var(--line);border-radius:16px;background:var(--card);color:var(--ink);padding:1.1rem}
dialog::backdrop{background:#0009}
dialog form>*+*,dialog form>div>*+*,fieldset>*+*{margin-top:.8rem}
dialog label{display:block}
fieldset{border:0;padding:0}
dialog label input:not([type=radio]),textarea{margin-top:.4rem}
fieldset label+label{margin-top:0}
fieldset label{display:flex;gap:.7rem;align-items:center;min-height:3rem}
input,textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:10px;padding:.6rem;width:100%}
input[type=radio],input[type=checkbox]{width:1.6rem;height:1.6rem;flex:none;accent-color:var(--accent)}
canvas{display:block;width:100%;height:9rem;background:#fff;border:1px solid var(--soft);border-radius:10px;touch-action:none}
footer{padding-top:1.2rem;padding-bottom:2.5rem;font-size:.95rem;color:var(--soft)}
[hidden]{display:none!important}
`);
