/** What the figures of usage are called, and how they are written. */
import { figureText } from '../../../html/chart/figures.ts'
import { countWord } from '../../lists/list-parts.tsx'
import { costText } from '../../../../runtime/usage/cost-text.ts'
import type { UsageFigures, UsageGroup } from '../../../../runtime/usage/usage-row.ts'

interface Measure {
  readonly label: string
  readonly of: (figures: UsageFigures) => number
  readonly text: (figures: UsageFigures) => string
  /** Of the chart's scale. */
  readonly unit: 'count' | 'bytes' | 'ratio'
}

const counted = (label: string, of: (figures: UsageFigures) => number): Measure => ({
  ...{ label, of, unit: 'count' },
  text: (figures) => countWord(of(figures)),
})

const bytes = (label: string, of: (figures: UsageFigures) => number): Measure => ({
  ...{ label, of, unit: 'bytes' },
  text: (figures) => figureText(of(figures), { unit: 'bytes' }),
})

/** In the order of columns and of the choice for the chart. */
export const usageMeasures = {
  sessions: counted('Sessions', ({ sessions }) => sessions),
  browser_minutes: counted('Browser minutes', (of) => of.browser_minutes),
  received_bytes: bytes('Received', (of) => of.received_bytes),
  sent_bytes: bytes('Sent', (of) => of.sent_bytes),
  tasks: counted('Tasks', ({ tasks }) => tasks),
  input_tokens: counted('Tokens in', (of) => of.input_tokens),
  output_tokens: counted('Tokens out', (of) => of.output_tokens),
  cost_usd: { label: 'Cost', of: (of) => of.cost_usd, text: costText, unit: 'ratio' },
} as const satisfies Readonly<Record<string, Measure>>
export type UsageMeasure = keyof typeof usageMeasures

export const measureList = Object.values<Measure>(usageMeasures)

export const usageGroupWords: Readonly<Record<UsageGroup, string>> = {
  day: 'Day',
  month: 'Month',
  key: 'Key',
  tenant: 'Tenant',
}
