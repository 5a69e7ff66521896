/// The style sheet of a run's page. The eight colours are those of Okabe and Ito (2008), which
/// people with any kind of colour vision can distinguish, adapted to a light and a dark background.
enum HTMLStyle {
    static let sheet = """
        :root { color-scheme: light dark;
          --ground: #ffffff; --ink: #1b1f24; --soft: #59636e; --rule: #d8dee4; --band: #f3f5f7;
          --control: #9aa4ae; --good: #00664b; --bad: #a63d00; --link: #0b5fa5;
          --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b8578c;
          --c4: #c98a00; --c5: #3a9bd0; --c6: #5b5b5b; --c7: #8f8500; }
        @media screen and (prefers-color-scheme: dark) { :root {
          --ground: #14181d; --ink: #e8ebee; --soft: #9ea8b3; --rule: #343c45; --band: #1d232a;
          --control: #6b7681; --good: #4fd0a5; --bad: #ff9d5c; --link: #7ab8ee;
          --c0: #56b4e9; --c1: #ff8c3b; --c2: #2fc99b; --c3: #e08fbb;
          --c4: #f0b52a; --c5: #a6d8f5; --c6: #b9b9b9; --c7: #f0e442; } }
        body { background: var(--ground); color: var(--ink); margin: 0 auto; max-width: 1500px;
          padding: 1.2rem 1.5rem; font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; }
        [hidden] { display: none !important; }
        h1 { font-size: 1.5rem; margin: 0 0 .8rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .6rem; }
        summary { cursor: pointer; } summary h2 { display: inline; }
        section > details { margin-top: 2rem; }
        dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
          gap: .3rem 1.5rem; margin: 0; }
        dl div { display: flex; gap: .6rem; }
        dt { color: var(--soft); min-width: 5.5rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        p { color: var(--soft); max-width: 60rem; }
        .warnings { color: var(--bad); margin: .8rem 0 0; overflow-wrap: anywhere; }
        .warnings ul { margin: .3rem 0; }
        nav { margin: 1rem 0 .4rem; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
        nav a { color: var(--link); }
        .tools { position: sticky; top: 0; z-index: 2; background: var(--ground);
          padding: .5rem 0; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem;
          align-items: center; border-bottom: 1px solid var(--rule); }
        #search { font: inherit; padding: .25rem .5rem; width: min(22rem, 100%);
          box-sizing: border-box; }
        #found { color: var(--soft); }
        section { scroll-margin-top: 3.5rem; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
        th, td { padding: .22rem .34rem; text-align: right; white-space: nowrap;
          border-bottom: 1px solid var(--rule); }
        .left { text-align: left; }
        td.left { white-space: pre; }
        thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; cursor: pointer; }
        th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
          cursor: pointer; text-align: inherit; }
        th[data-note] button { text-decoration: underline dotted; text-underline-offset: 3px; }
        th[aria-sort] { color: var(--ink); }
        th[aria-sort=ascending] button::after { content: " ▲" / ""; }
        th[aria-sort=descending] button::after { content: " ▼" / ""; }
        table:not(.sorted) tr.begins:not(:first-child) td { border-top: 2px solid var(--control); }
        body:not(.all) .wide { display: none; }
        tbody tr:hover td { background: var(--band); }
        .prose td { white-space: normal; vertical-align: top; }
        .prose td:first-child { white-space: nowrap; }
        .checks td { white-space: normal; }
        tr.control td { color: var(--soft); }
        tr.failed td, td.bad { color: var(--bad); }
        td.good { color: var(--good); }
        tr.behind td:first-child { box-shadow: inset 3px 0 var(--bad); }
        #note { position: fixed; z-index: 3; max-width: 26rem; background: var(--ink);
          color: var(--ground); padding: .4rem .6rem; border-radius: 4px; font-size: 13px;
          white-space: pre-line; overflow-wrap: anywhere; pointer-events: none; }
        .charts { display: grid; gap: 1.5rem; align-items: start;
          grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); }
        .charts.wide { grid-template-columns: 1fr; }
        .wide svg { max-width: none; font-size: 11px; }
        .wide rect.fill { fill-opacity: .42; stroke: var(--ground); stroke-width: .6; }
        .wide g:hover > rect.fill { fill-opacity: .8; }
        figure { margin: 0; }
        svg { width: 100%; max-width: 780px; height: auto; font-size: 12px; }
        svg text { fill: var(--ink); }
        svg .title { font-size: 14px; font-weight: 600; }
        svg .tick, svg .axis { fill: var(--soft); }
        .grid { stroke: var(--rule); }
        .mark { stroke: var(--bad); stroke-dasharray: 3 3; }
        .mark-name { paint-order: stroke; stroke: var(--ground); stroke-width: 5; }
        .even { stroke: var(--soft); }
        .frame, .whisker { stroke: var(--ink); stroke-width: 1.2; }
        .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
        .d1 { stroke-dasharray: 7 4; } .d2 { stroke-dasharray: 2 3; }
        .d3 { stroke-dasharray: 9 3 2 3; }
        rect.control { fill: var(--band); stroke: var(--control); stroke-dasharray: 4 3; }
        .fill.c0 { fill: var(--c0); } .line.c0 { stroke: var(--c0); }
        .fill.c1 { fill: var(--c1); } .line.c1 { stroke: var(--c1); }
        .fill.c2 { fill: var(--c2); } .line.c2 { stroke: var(--c2); }
        .fill.c3 { fill: var(--c3); } .line.c3 { stroke: var(--c3); }
        .fill.c4 { fill: var(--c4); } .line.c4 { stroke: var(--c4); }
        .fill.c5 { fill: var(--c5); } .line.c5 { stroke: var(--c5); }
        .fill.c6 { fill: var(--c6); } .line.c6 { stroke: var(--c6); }
        .fill.c7 { fill: var(--c7); } .line.c7 { stroke: var(--c7); }
        @media screen and (max-width: 600px) { body { padding: .8rem; } }
        @page { size: A4 landscape; margin: 12mm; }
        @media print {
          :root { color-scheme: light; }
          body { padding: 0; max-width: none; font-size: 11px; }
          table { font-size: 9px; }
          th, td { padding: .12rem .35rem; }
          td.left { white-space: pre-wrap; overflow-wrap: anywhere; }
          nav, .tools, #note { display: none; }
          .scroll { overflow: visible; }
          tr, figure { break-inside: avoid; }
          h2 { break-after: avoid; }
          .charts { grid-template-columns: 1fr 1fr; }
        }

        """
}
