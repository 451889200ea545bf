/** What a run prints. Its last line is the count, alone on its line. */
import type { Outcome } from './outcome.ts'
import type { Judged } from './second-chance.ts'

const slowestShown = 5

export const say = (line: string): void => console.log(line)
const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, '      ')
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

export function reportFile(outcome: Outcome): void {
  const { file, passed, failed, skipped, ms } = outcome
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`]
  const mark = failed ? '✗' : '✓'
  say(`${mark} ${file.padEnd(52)} ${counts.filter(Boolean).join(', ')}  ${seconds(ms)}`)
  sayFailures(outcome)
}

function sayFailures({ failures, failed, stderr }: Outcome) {
  for (const { test, detail } of failures) say(`    ✗ ${test}\n${indent(detail)}`)
  if (failed && stderr !== '') say(`    its last words on stderr:\n${indent(stderr)}`)
}

export function reportRun({ outcomes, flaky, refusals }: Judged): void {
  const total = (of: 'passed' | 'failed' | 'skipped') => outcomes.reduce((sum, o) => sum + o[of], 0)
  const slowest = outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown)
  if (slowest.length > 1) {
    say(`\nslowest: ${slowest.map((o) => `${o.file} ${seconds(o.ms)}`).join(', ')}`)
  }
  const left = outcomes.filter(({ isLeftOut }) => isLeftOut)
  if (left.length > 0) say(`\nnot run: ${left.map(({ file }) => file).join('\n         ')}`)
  for (const why of refusals) say(`\nno second chance for ${why}`)
  for (const { first } of flaky) {
    say(`\nflaky: ${first.file} failed, and passed when it ran alone. Its failure:`)
    sayFailures(first)
  }
  const broken = outcomes.filter(({ failed }) => failed > 0)
  if (broken.length > 0) say(`\nfailed:  ${broken.map(({ file }) => file).join(', ')}`)
  if (flaky.length > 0) say(`\nflaky:   ${flaky.map(({ first }) => first.file).join(', ')}`)
  const skipped = total('skipped')
  const tail = skipped ? `, ${skipped} skipped` : ''
  say(`\n${total('passed')} passed, ${total('failed')} failed${tail}`)
}
