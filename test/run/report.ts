/** What a run prints. Its last line is the count, alone on its line. */
import type { Outcome } from './outcome.ts'
import type { Judged } from './second-chance.ts'

const slowestShown = 5

export const say = (line: string): void => console.log(line)
const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, '      ')
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** Files that did not run are named in the end. */
export function reportFile(outcome: Outcome): void {
  const { file, passed, failed, skipped, ms } = outcome
  if (outcome.leftOut !== undefined) return
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`]
  const mark = failed ? '✗' : '✓'
  say(`${mark} ${file.padEnd(52)} ${counts.filter(Boolean).join(', ')}  ${seconds(ms)}`)
  sayFailures(outcome)
}

function sayFailures({ failures, failed, stderr }: Outcome) {
  for (const { test, detail } of failures) say(`    ✗ ${test}\n${indent(detail)}`)
  if (failed && stderr !== '') say(`    its last words on stderr:\n${indent(stderr)}`)
}

/** A CI may show only the end of what a run prints: failures are there once more. */
export function reportRun({ outcomes, flaky, refusals }: Judged): void {
  const total = (of: 'passed' | 'failed' | 'skipped') => outcomes.reduce((sum, o) => sum + o[of], 0)
  const left = outcomes.filter(({ leftOut }) => leftOut !== undefined)
  const ran = outcomes.filter(({ leftOut }) => leftOut === undefined)
  const slowest = ran.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown)
  if (slowest.length > 1) {
    say(`\nslowest: ${slowest.map((o) => `${o.file} ${seconds(o.ms)}`).join(', ')}`)
  }
  sayLeftOut(left)
  for (const why of refusals) say(`\nno second chance for ${why}`)
  for (const { first } of flaky) {
    say(`\nflaky: ${first.file} failed, and passed when it ran alone. Its failure:`)
    sayFailures(first)
  }
  const broken = outcomes.filter(({ failed }) => failed > 0)
  for (const outcome of broken) {
    say(`\nfailed: ${outcome.file}`)
    sayFailures(outcome)
  }
  if (broken.length > 0) say(`\nfailed:  ${broken.map(({ file }) => file).join(', ')}`)
  if (flaky.length > 0) say(`\nflaky:   ${flaky.map(({ first }) => first.file).join(', ')}`)
  const skipped = total('skipped')
  const tail = skipped ? `, ${skipped} skipped` : ''
  say(`\n${total('passed')} passed, ${total('failed')} failed${tail}`)
}

function sayLeftOut(left: readonly Outcome[]) {
  for (const why of new Set(left.map(({ leftOut }) => leftOut))) {
    const files = left.filter(({ leftOut }) => leftOut === why).map(({ file }) => file)
    say(`\nnot run, ${why}: ${files.join('; ')}`)
  }
}
