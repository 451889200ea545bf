/** Outcomes as JUnit XML, which CI services read: a suite for each file, a case for each failure. */
import type { Outcome } from './outcome.ts'

/** Control characters that XML 1.0 has no way to write. */
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g

export function junitXml(outcomes: readonly Outcome[]): string {
  const suites = outcomes.map(suite).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites}\n</testsuites>\n`
}

function suite({ file, passed, failed, skipped, ms, failures }: Outcome): string {
  const counts = `tests="${passed + failed + skipped}" failures="${failed}" skipped="${skipped}"`
  const name = `name="${escape(file)}"`
  const time = `time="${(ms / 1_000).toFixed(3)}"`
  const cases = failures.map(({ test, detail }) => {
    const failure = `<failure message="${escape(test)}">${escape(detail)}</failure>`
    return `<testcase classname="${escape(file)}" name="${escape(test)}">${failure}</testcase>`
  })
  // A suite without a case is not shown.
  const all = cases.length > 0 ? cases : [`<testcase classname="${escape(file)}" name="all"/>`]
  return `<testsuite ${name} ${counts} ${time}>\n${all.join('\n')}\n</testsuite>`
}

function escape(text: string): string {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' } as const
  return text
    .replaceAll(unwritable, '')
    .replaceAll(/[&<>"]/g, (character) => entities[character as keyof typeof entities])
}
