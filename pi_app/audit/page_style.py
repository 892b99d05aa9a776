"""The style sheet of an audit's page: for a screen, a phone of 320 pixels, and A4 paper. Pure."""

from __future__ import annotations

from typing import Final

LIGHT: Final = {
    "ink": "#1c1917", "muted": "#57534e", "grid": "#e2dfda", "paper": "#fdfcfa", "card": "#f4f1ec",
    "blue": "#1f5fa8", "orange": "#b45309", "red": "#b3261e", "good": "#276b3c",
}  # fmt: skip
DARK: Final = {
    "ink": "#ece8e1", "muted": "#a8a29b", "grid": "#3a3733", "paper": "#191715", "card": "#24211e",
    "blue": "#7fb2ee", "orange": "#f0a35e", "red": "#ff8f84", "good": "#86d39c",
}  # fmt: skip


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


STYLE: Final = f"""
:root {{ color-scheme: light dark; {_variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}
body {{ margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.7rem; margin: 0 0 .2rem; }} h2 {{ font-size: 1.25rem; margin: 2.6rem 0 .4rem; }}
h3 {{ font-size: 1.02rem; margin: 2rem 0 .3rem; }}
p {{ margin: .3rem 0 .7rem; max-width: 46rem; }} .muted {{ color: var(--muted); }}
table {{ border-collapse: collapse; width: 100%; font-size: .93rem; }}
th {{ text-align: left; font-weight: 600; color: var(--muted); white-space: nowrap; }}
th, td {{ padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--grid); vertical-align: top; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
td.short {{ white-space: nowrap; }}
.turns {{ width: auto; }} .turns th, .turns td {{ padding-right: 1.6rem; }}
.squares {{ display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: .6rem 0; list-style: none; }}
.squares li {{ background: var(--card); border-radius: .4rem; padding: .25rem .7rem;
  border-left: .3rem solid var(--muted); }}
.squares li.pass {{ border-left-color: var(--good); }}
.squares li.fail {{ border-left: .3rem double var(--red); font-weight: 600; }}
.squares li.unproven {{ border-left: .3rem dashed var(--orange); font-weight: 600; }}
.head {{ display: flex; flex-wrap: wrap; gap: .6rem 1.5rem; align-items: flex-start; margin: .6rem 0; }}
.facts {{ flex: 1 1 17rem; min-width: 0; }} .head > svg {{ width: 11rem; background: #fff; }}
.verdict {{ font-size: 1.15rem; background: var(--card); padding: .5rem 1rem; margin: 0 0 .6rem;
  border-left: .5rem solid var(--muted); }}
.verdict strong {{ font-size: 1.6rem; margin-right: .6rem; }}
.verdict.pass {{ border-left-color: var(--good); }}
.verdict.fail {{ border-left: .5rem double var(--red); }}
.verdict.unproven {{ border-left: .5rem dashed var(--orange); }}
.seal strong {{ border: .12rem solid var(--muted); border-radius: .3rem; padding: .05rem .5rem; margin-right: .3rem;
  display: inline-block; }}
.seal.whole strong {{ border: .2rem double var(--good); }} .seal.interrupted strong {{ border-style: dashed; }}
.seal.damaged strong, .seal.forked strong {{ border: .2rem double var(--red); }}
.facts dl {{ margin: 0; }} .facts dl div {{ display: flex; gap: .8rem; }} .facts dt {{ flex: 0 0 4rem; }}
.facts dd {{ margin: 0 0 .2rem; }}
.how {{ color: var(--muted); font-size: .9rem; }} .grid .how {{ display: block; }}
.grid {{ table-layout: fixed; }} .grid td {{ white-space: normal; }} .grid th:first-child {{ width: 4rem; }}
.banner {{ background: var(--card); border-left: .3rem double var(--red); padding: .6rem 1rem; }}
summary {{ cursor: pointer; white-space: nowrap; }} details p {{ max-width: 14rem; white-space: normal; }}
dt {{ color: var(--muted); font-size: .9rem; }} dd {{ margin: 0 0 .5rem; }}
.letters {{ font: .85rem/1.4 ui-monospace, monospace; }}
figure {{ margin: .4rem 0 0; overflow-x: auto; }} figcaption {{ color: var(--muted); font-size: .9rem; }}
figure svg {{ width: 100%; min-width: 36rem; height: auto; display: block; }}
figcaption {{ position: sticky; left: 0; }}
@media screen and (max-width: 37rem) {{ figcaption::after {{ content: " Swipe the plot for the rest of it."; }} }}
@media screen and (max-width: 40rem) {{
  body {{ padding: 1rem .8rem 3rem; }}
  table, tbody, tr, td {{ display: block; }} thead {{ display: none; }}
  tr {{ border-bottom: 1px solid var(--grid); padding: .5rem 0; }}
  td, td.number, td.short {{ border: 0; padding: .1rem 0; text-align: left; white-space: normal; }}
  td::before {{ content: attr(data-head) ": "; color: var(--muted); }} td:empty {{ display: none; }}
  td details {{ display: inline-block; vertical-align: top; margin-right: .8rem; }}
  h1 {{ font-size: 1.3rem; }} h2 {{ margin: .4rem 0; font-size: 1.1rem; }}
  .lines tr {{ display: flex; flex-wrap: wrap; gap: 0 .6rem; padding: .3rem 0; }}
  .lines td::before {{ content: none; }} .lines .number:first-child {{ color: var(--muted); min-width: 1.6rem; }}
  .lines td:last-child {{ flex: 1 1 100%; }} .turns td:last-child {{ flex: 1 1 auto; text-align: right; }}
  .turns {{ font-size: .875rem; }} .turns tr {{ gap: 0 .5rem; }} .turns td {{ padding-right: 0; }}
  .grid tr {{ display: grid; grid-template-columns: 2.6rem 1fr; }} .grid td {{ grid-column: 2; }}
  .grid td:first-child {{ grid-column: 1; grid-row: 1 / span 9; font-weight: 600; }}
  .grid td:first-child::before {{ content: none; }} .grid .how {{ display: inline; }}
}}
@media print {{
  :root {{ {_variables(LIGHT | {"paper": "#fff"})} }}
  @page {{ size: A4; margin: 12mm; }}
  body {{ max-width: none; padding: 0; font-size: 9pt; line-height: 1.3; }}
  h1 {{ font-size: 14pt; }} h2 {{ font-size: 11.5pt; margin: 3mm 0 1mm; }}
  h3 {{ font-size: 10pt; margin: 2.5mm 0 1mm; }}
  h1, h2, h3 {{ break-after: avoid; }} p {{ margin: .5mm 0 1mm; max-width: none; orphans: 3; widows: 3; }}
  thead {{ display: table-header-group; }} tr, figure, .head, section.small {{ break-inside: avoid; }}
  table {{ font-size: 8.5pt; }} th, td {{ padding: .4mm 3mm .4mm 0; }}
  .squares {{ gap: 1.5mm; margin: 1mm 0; }} .squares li {{ padding: .3mm 2mm; print-color-adjust: exact; }}
  .pictures {{ display: grid; grid-template-columns: repeat(3, 1fr); gap: 2mm 4mm; }}
  .pictures section:first-child {{ grid-column: 1 / -1; }} .pictures section:first-child svg {{ max-height: 72mm; }}
  dl.record, .paper dl {{ display: grid; grid-template-columns: 38mm 1fr; gap: .5mm 2mm; }}
  dt, dd {{ font-size: 8.5pt; margin: 0; }}
  figure {{ overflow: visible; margin: 0; }} figure svg {{ min-width: 0; max-height: 62mm; }}
  figcaption {{ font-size: 7.5pt; }} .head > svg {{ width: 34mm; }}
  .verdict {{ padding: .6mm 3mm; margin: 0 0 1mm; font-size: 10pt; print-color-adjust: exact; }}
  .verdict strong {{ font-size: 13pt; }} .head {{ margin: 0; }} .grid .how {{ display: inline; font-size: 7.5pt; }}
  .letters {{ font-size: 7pt; }}
  .limits {{ font-size: 7.5pt; }} .paper h2 {{ margin: 1.5mm 0 .5mm; }} .paper dt, .paper dd {{ font-size: 7.5pt; }}
  .grid th:first-child {{ width: 14mm; }} details p {{ display: none; }} summary {{ list-style: none; }}
}}
@media not print {{ .paper {{ display: none; }} }}
""".strip()
