"""Counts pytest's reports: python summary.py RESULTS KNOWN SUITE...

RESULTS/SUITE/*.xml are JUnit reports, *.died processes that ended without one. KNOWN has a line for each failure whose
cause is known: suite, a regular expression for "module.class::test", the cause, separated by tabs. Ends with 1 if a test
failed that no line explains, or if a suite has no reports.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

OUTCOMES = ("passed", "failed", "skipped", "xfailed")


def outcome(case):
    for child in case:
        if child.tag in ("failure", "error"):
            return "failed", (child.get("message") or "").splitlines()
        if child.tag == "skipped":
            return ("xfailed" if child.get("type") == "pytest.xfail" else "skipped"), []
    return "passed", []


def read(folder):
    """The number of each outcome, and the failures as (name, first line of the message)."""
    counts, failures = collections.Counter(), []
    for path in sorted(folder.glob("*.xml")):
        for case in xml.parse(path).getroot().iter("testcase"):
            what, message = outcome(case)
            counts[what] += 1
            if what == "failed":
                place = ".".join(case.get("classname", "").split(".")[-2:])
                failures.append((f"{place}::{case.get('name')}", message[0] if message else ""))
    for path in sorted(folder.glob("*.died")):
        counts["failed"] += 1
        failures.append((f"{path.stem}::died", f"ended with {path.read_text().strip()} and no report"))
    return counts, failures


def load_known(path):
    rows = []
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            suite, pattern, cause = line.split("\t")
            rows.append((suite, re.compile(pattern), cause))
    return rows


def main(results, known_path, *suites):
    known, table, unknown = load_known(known_path), [], 0
    for suite in suites:
        counts, failures = read(pathlib.Path(results) / suite)
        skipped = counts["skipped"] + counts["xfailed"]
        print(f"{suite}: {counts['passed']} passed, {counts['failed']} failed, {skipped} skipped")
        causes = collections.Counter()
        for name, message in failures:
            cause = next((c for s, p, c in known if s == suite and p.search(name)), None)
            causes[cause or "NOT KNOWN"] += 1
            if not cause:
                unknown += 1
                print(f"  not known: {name}: {message[:160]}")
        unknown += not sum(counts.values())
        table.append((suite, *(counts[o] for o in OUTCOMES), causes))
    print("\n| suite | tests | passed | skipped | expected to fail | failed | causes |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for suite, passed, failed, skipped, xfailed, causes in table:
        text = "; ".join(f"{n} {cause}" for cause, n in causes.most_common())
        total = passed + failed + skipped + xfailed
        print(f"| {suite} | {total} | {passed} | {skipped} | {xfailed} | {failed} | {text} |")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
