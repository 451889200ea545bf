/** What a night prints: a line for each stage, with the closing line of its program. */
import type { Stage } from './stages.ts'

export interface StageOutcome {
  readonly name: string
  readonly isGreen: boolean
  readonly minutes: number
  readonly closing: string
}

/** The last line with words that a program has printed. */
export const closingLine = (output: string): string =>
  output.split('\n').findLast((line) => /\w/.test(line)) ?? 'no output'

export function tableOf(
  stages: readonly Pick<Stage, 'name' | 'what'>[],
  outcomes: readonly StageOutcome[],
): string {
  const rows = outcomes.map(({ name, isGreen, minutes, closing }) => {
    const what = stages.find((stage) => stage.name === name)?.what
    return `| ${name} | ${what} | ${minutes.toFixed(1)} | ${isGreen ? '' : '**failed**: '}${closing} |`
  })
  return ['| stage | what | minutes | result |', '|---|---|---|---|', ...rows].join('\n')
}
