/// The style sheet of a run's page. The eight colours are those of Okabe and Ito (2008), which
/// people with any kind of colour vision can distinguish, adapted to a light and a dark background.
enum HTMLStyle {
    static let sheet = """
        :root { color-scheme: light dark;
          --ground: #ffffff; --ink: #1b1f24; --soft: #59636e; --rule: #d8dee4; --band: #f3f5f7;
          --control: #9aa4ae; --good: #00664b; --bad: #a63d00;
          --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b8578c;
          --c4: #c98a00; --c5: #3a9bd0; --c6: #5b5b5b; --c7: #8f8500; }
        @media (prefers-color-scheme: dark) { :root {
          --ground: #14181d; --ink: #e8ebee; --soft: #9ea8b3; --rule: #343c45; --band: #1d232a;
          --control: #6b7681; --good: #4fd0a5; --bad: #ff9d5c;
          --c0: #56b4e9; --c1: #ff8c3b; --c2: #2fc99b; --c3: #e08fbb;
          --c4: #f0b52a; --c5: #a6d8f5; --c6: #b9b9b9; --c7: #f0e442; } }
        body { background: var(--ground); color: var(--ink); margin: 0 auto; max-width: 1500px;
          padding: 1.5rem; font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; }
        h1 { font-size: 1.5rem; margin: 0 0 .8rem; }
        h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
        dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr));
          gap: .3rem 1.5rem; margin: 0; }
        dl div { display: flex; gap: .6rem; }
        dt { color: var(--soft); min-width: 5.5rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        p { color: var(--soft); max-width: 60rem; }
        .warning { color: var(--bad); margin: .25rem 0; }
        section { overflow-x: auto; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: .22rem .7rem; text-align: right; white-space: nowrap;
          border-bottom: 1px solid var(--rule); }
        .left, .group th { text-align: left; }
        .left { white-space: pre; }
        thead th { color: var(--soft); font-weight: 600; }
        .group th { background: var(--band); }
        tr.control td { color: var(--soft); }
        tr.failed td, tr.miss td:nth-child(4) { color: var(--bad); }
        tr.pass td:nth-child(4) { color: var(--good); }
        tr.behind td:first-child { box-shadow: inset 3px 0 var(--bad); }
        .checks td:nth-child(4), .checks td:nth-child(5), .checks th:nth-child(4),
        .checks th:nth-child(5) { text-align: left; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(30rem, 1fr));
          gap: 1.5rem; align-items: start; }
        figure { margin: 0; }
        svg { width: 100%; max-width: 780px; height: auto; font-size: 12px; }
        svg text { fill: var(--ink); }
        svg .title { font-size: 14px; font-weight: 600; }
        svg .tick, svg .axis { fill: var(--soft); }
        .grid { stroke: var(--rule); }
        .mark { stroke: var(--bad); stroke-dasharray: 3 3; }
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

        """
}
