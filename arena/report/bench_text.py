"""The result of a benchmark, as tables and as data."""

from __future__ import annotations

from typing import Any

from tabulate import tabulate

from arena.bench.whole import MIX, TABLES, Result


def bench_json(result: Result) -> dict[str, Any]:
    """All figures: calls, decisions and games per second; times in microseconds."""
    compiled = result.compiled
    mix = {tables: speed.rate for tables, speed in result.speeds[MIX].items()}
    latency = result.latency
    return {
        "bare": {
            "unary_1": result.bare.unary_1,
            "unary_64": result.bare.unary_64,
            "stream_1": result.bare.stream_1,
        },
        "referee": {
            name: {f"tables_{tables}": speed.rate for tables, speed in speeds.items()}
            for name, speeds in result.speeds.items()
        },
        "compiled": None
        if compiled is None
        else {"bot": compiled[0]} | {f"tables_{tables}": speed.rate for tables, speed in compiled[1].items()},
        "ratios": {
            "tables_64_to_unary_64": mix[result.busy] / result.bare.unary_64,
            "tables_1_to_stream_1": mix[1] / result.bare.stream_1,
            "latency_to_stream_1": latency.p50 / latency.bare_p50,
        },
        "rules": {game: playouts.rate for game, playouts in result.rules.items()},
        "clone_us": {game: 1e6 * playouts.clone for game, playouts in result.rules.items()},
        "verify": result.verify,
        "cpu_us_per_decision": {part: 1e6 * spent for part, spent in result.split.items()},
        "store_share": result.speeds[MIX][result.busy].store / result.speeds[MIX][result.busy].cpu,
        "latency_us": {
            **{name: 1e6 * value for name, value in latency._asdict().items()},
            "added_p50": 1e6 * (latency.p50 - latency.bare_p50),
            "added_p99": 1e6 * (latency.p99 - latency.bare_p99),
        },
        "machine": result.noise._asdict(),
        "seconds": result.seconds,
    }


def bench_text(result: Result) -> str:
    """The tables, for people."""
    bare, latency, noise = result.bare, result.latency, result.noise
    lines = [
        "gRPC alone (calls/s, or messages there and back)",
        tabulate(
            [
                ["unary, one at a time", bare.unary_1],
                ["unary, 64 at once", bare.unary_64],
                ["one stream, one at a time", bare.stream_1],
            ],
            floatfmt=",.0f",
            tablefmt="plain",
        ),
        "",
        "The referee end to end, Python bots, every game stored durably (decisions/s)",
        _speeds(result),
        "",
        f"In the mix, {result.busy} tables are "
        f"{result.speeds[MIX][result.busy].rate / bare.unary_64:.1f} times 64 unary calls at once; "
        f"one table is {result.speeds[MIX][1].rate / bare.stream_1:.2f} times one bare stream.",
        "",
        f"The referee's CPU time at {result.busy} tables, all games mixed (us per decision; transport is the "
        "rest of the process with the bots' streams)",
        tabulate(
            [[*(1e6 * spent for spent in result.split.values()), 1e6 * sum(result.split.values())]],
            headers=[*result.split, "all"],
            floatfmt=".1f",
        ),
        "",
        "From one decision to the next at one table (us)",
        tabulate(
            [
                ["referee", 1e6 * latency.p50, 1e6 * latency.p99],
                ["bare stream", 1e6 * latency.bare_p50, 1e6 * latency.bare_p99],
                ["added", 1e6 * (latency.p50 - latency.bare_p50), 1e6 * (latency.p99 - latency.bare_p99)],
            ],
            headers=["", "p50", "p99"],
            floatfmt=".0f",
        ),
        "",
        "The rules alone, random playouts at two seats (decisions/s; us per copy of a position)",
        tabulate(
            [[game, f"{item.rate:,.0f}", f"{1e6 * item.clone:.1f}"] for game, item in result.rules.items()],
            headers=["game", "decisions/s", "clone"],
            colalign=("left", "right", "right"),
            disable_numparse=True,
        ),
        "",
        f"arena verify: {result.verify:,.0f} games/s of the mix",
        "",
        f"{noise.cpus} processors, load {noise.load:.2f} at the start; the same loop took up to "
        f"{noise.spread:.0%} longer at one time than at another"
        + (": this machine was not quiet" if noise.spread > 0.15 or noise.load > 0.5 else ""),
        f"measured in {result.seconds:.0f} s",
    ]
    return "\n".join(lines)


def _speeds(result: Result) -> str:
    rows = [
        [name, *(f"{speeds[tables].rate:,.0f}" for tables in TABLES)]
        for name, speeds in result.speeds.items()
    ]
    if result.compiled is not None:
        name, speeds = result.compiled
        rows.append([f"mix, {name}", *(f"{speeds[tables].rate:,.0f}" for tables in TABLES)])
    return tabulate(
        rows,
        headers=["games", *(f"{tables} {'table' if tables == 1 else 'tables'}" for tables in TABLES)],
        colalign=("left", *["right"] * len(TABLES)),
        disable_numparse=True,
    )
