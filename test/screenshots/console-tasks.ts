/** Played tasks for the console's screenshots. */
import { newId } from '../../proto/ids.ts'
import type { StepAction, TaskView } from '../../proto/task/task.ts'
import type { PlayedRecords } from '../helpers/console/played-records.ts'
import type { PlayedViews } from '../helpers/gateway/gateway.ts'

const minute = 60_000

const states: readonly Partial<TaskView>[] = [
  { state: 'deciding', note: 'The filter for direct flights is set; the prices come next.' },
  {
    state: 'asking',
    question: {
      ...{ id: 'q', kind: 'confirmation', action: 'payment', askedAtMs: Date.now() },
      text: 'Press the button “Pay 129.00 €” on https://flights.example/checkout?',
    },
  },
  {
    ...{ state: 'completed', end: 'done', endedAtMs: Date.now() },
    result: { airline: 'Example Air', price: 129, direct: true },
  },
  { state: 'deciding', waiting: { for: 'model', sinceMs: Date.now() - 12_000 } },
  {
    ...{ state: 'failed', end: 'loop', endedAtMs: Date.now() },
    error: 'The task did the same three times and saw no change.',
  },
]

const actions: readonly StepAction[] = [
  {
    ...{ tool: 'type', input: { target: 'e4', text: 'Lisbon' }, element: 'combobox "To" [e4]' },
    ...{ outcome: 'done', ms: 240 },
  },
  {
    ...{ tool: 'click', input: { target: 'e9' }, element: 'button "Search" [e9]', ms: 2_310 },
    ...{ outcome: 'failed', text: 'Another element covers it: dialog "Cookies".' },
  },
]

interface Played {
  readonly views: PlayedViews<TaskView>
  readonly records: PlayedRecords
  readonly picture: Uint8Array
}

/** A task in one of several states by `n`, with as many steps as `steps` says. */
export async function furnishTask(
  { views, records, picture }: Played,
  tenant: string,
  n: number,
  { steps = 0, ...more }: Partial<TaskView> = {},
): Promise<TaskView> {
  const view: TaskView = {
    ...{ id: newId('tsk'), tenant, keyId: 'key', keyName: 'ci', state: 'deciding' },
    ...{ createdAtMs: Date.now() - n * minute - 45_000, expiresAtMs: Date.now() + 50 * minute },
    prompt: 'Find the cheapest direct flight from Berlin to Lisbon in May, with one bag.',
    ...{ url: 'https://flights.example/', provider: 'openai', model: 'gpt-5.5' },
    ...{ ownsSession: false, maxSteps: 200, steps: steps || (n % 17) + 1 },
    usage: {
      ...{ calls: 4, inputTokens: 21_400, cachedTokens: 12_800, outputTokens: 930 },
      costUsd: 0.0418,
    },
    ...states[n % states.length],
    ...more,
  }
  views.set(view)
  for (let step = 1; step <= steps; step++) {
    await records.picture(view.id, step, picture)
    await records.step(view.id, {
      ...{ actions: actions.slice(0, step), cost_usd: 0.0104 },
      page: { url: 'https://flights.example/search', title: 'Search – Flights' },
      reason: 'The form is open. I set the destination and search.',
      screenshot: `/v1/tools/perform-web-task/${view.id}/steps/${step}/screenshot`,
    })
  }
  return view
}
