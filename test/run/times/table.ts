/** The tables of a run with `--times`: where the time of each suite and of each file went. */
import { suiteOf } from '../jobs.ts'
import { machineSeconds, type MachineSeconds } from '../machine.ts'
import type { Outcome } from '../outcome.ts'
import { programNames, type Usage } from './usage.ts'

type Measured = Outcome & { readonly usage: Usage }

const headings = ['', 'runs', 'assertions', 'wall s', 'CPU s', 'starting s', ...programNames]

/**
 * A line about the machine since `begun`, and a table in Markdown: suites in their order, then files
 * by what they use. Files that did not run are left out.
 */
export function timesTable(outcomes: readonly Outcome[], begun: MachineSeconds): string {
  const measured = outcomes.filter((outcome): outcome is Measured => outcome.usage !== undefined)
  const suites = new Set(measured.map(({ file }) => suiteOf(file)))
  const rows = [
    ...[...suites].map((suite) =>
      rowOf(
        suite,
        measured.filter(({ file }) => suiteOf(file) === suite),
      ),
    ),
    rowOf('**all**', measured),
    ...measured
      .toSorted((a, b) => b.usage.cpuSeconds - a.usage.cpuSeconds)
      .map((outcome) => rowOf(outcome.file.replace(/^test\//, ''), [outcome])),
  ]
  const now = machineSeconds()
  const [busy, idle] = [now.busy - begun.busy, now.idle - begun.idle].map(Math.round)
  const table = [headings, headings.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
  return `all processors of the machine: ${busy} s busy, ${idle} s idle\n\n${table}`
}

function rowOf(name: string, files: readonly Measured[]): string[] {
  const sum = (of: (outcome: Measured) => number) =>
    files.reduce((total, outcome) => total + of(outcome), 0)
  return [
    name,
    String(files.length),
    String(sum(({ passed, failed }) => passed + failed)),
    sum(({ ms }) => ms / 1_000).toFixed(0),
    sum(({ usage }) => usage.cpuSeconds).toFixed(0),
    sum(({ usage }) => usage.startingSeconds).toFixed(0),
    ...programNames.map((program) => String(sum(({ usage }) => usage.started[program]))),
  ]
}
