/** Brings the demo's changes to the states in which they are shown on the board. */
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { dayMs } from '../../../../../proto/units.ts'
import { changeAnswer, type ChangeAnswer } from '../../service/change-text.ts'
import { dataOf } from '../../service/service.ts'
import { demoChanges, type DemoChange } from './plans.ts'
import type { DemoSignIns } from '../sign-ins.ts'
import { demoCast } from '../cast.ts'
import type { DemoState, FoundedDemo } from '../state.ts'

const hourMs = dayMs / 24
const path = '/v1/changes'
const answer = dataOf(changeAnswer)

/** A change in any other state has left this way, and the demo does not touch it. */
const way = ['draft', 'proposed', 'reviewed', 'approved', 'scheduled', 'in_progress', 'done']

const changeOf = ({ changes }: DemoState, { title }: DemoChange): ChangeView | undefined =>
  changes.find(({ terms }) => terms.title === title)

function isBehind(status: string, { reach }: DemoChange): boolean {
  const at = way.indexOf(status)
  return at >= 0 && at < way.indexOf(reach)
}

/** What an earlier run has left, or whose window has passed. Without its need, it stays. */
const isResumable = (view: ChangeView, plan: DemoChange, { need }: DemoState): boolean =>
  isBehind(view.status, plan) && view.terms.needId === need?.id

export const isBoardFilled = (demo: DemoState): boolean =>
  demoChanges.every((plan) => {
    const view = changeOf(demo, plan)
    return view !== undefined && !isResumable(view, plan, demo)
  })

export async function completeBoard(signIns: DemoSignIns, demo: FoundedDemo): Promise<void> {
  for (const plan of demoChanges) {
    const view = changeOf(demo, plan)
    if (view && !isResumable(view, plan, demo)) continue
    let change = view ? await read(signIns, plan, view.id) : await draft(signIns, demo, plan)
    while (isBehind(change.status, plan)) change = await advance(signIns, plan, change)
  }
}

const read = (signIns: DemoSignIns, { proposer }: DemoChange, id: string) =>
  signIns.as(proposer, { method: 'GET', path: `${path}/${id}`, answer })

function draft(
  signIns: DemoSignIns,
  { client, need }: FoundedDemo,
  { title, proposer, body }: DemoChange,
): Promise<ChangeAnswer> {
  const whole = { client_id: client.id, need_id: need.id, title, ...body }
  return signIns.as(proposer, { method: 'POST', path, body: whole, answer })
}

/** Takes the next step, by the person who may take it. */
function advance(
  signIns: DemoSignIns,
  { proposer, approvers, window, evidence }: DemoChange,
  { id, status, version, digest, reviews }: ChangeAnswer,
): Promise<ChangeAnswer> {
  const step = (verb: string, body?: object) => {
    const order = { method: 'POST', path: `${path}/${id}/${verb}`, version, answer } as const
    return { ...order, ...(body && { body }) }
  }
  switch (status) {
    case 'draft':
      return signIns.as(proposer, step('propose'))
    case 'approved':
      return signIns.as('ada', step('schedule', { window: windowFromNow(window) }))
    case 'scheduled':
      return signIns.as('ada', step('start'))
    case 'in_progress':
      return signIns.as('ada', step('complete', { evidence: [evidence] }))
    default: {
      const reviewer = approvers[reviews.filter((one) => !one.is_void).length]
      if (reviewer === undefined) throw new Error(`nobody is left to approve ${id}`)
      const reason = 'Agreed with the shops, and there is a way back.'
      return signIns.as(reviewer, step('reviews', { decision: 'approve', reason, digest }))
    }
  }
}

function windowFromNow(window: DemoChange['window']) {
  if (!window) throw new Error('a change that is scheduled needs a window')
  const startMs = Date.now() + window.startHours * hourMs
  const iso = (ms: number) => new Date(ms).toISOString()
  return { start: iso(startMs), end: iso(startMs + window.hours * hourMs) }
}

/** What is on the board, where, and who decides on it. */
export const changeRows = (demo: DemoState): readonly (readonly string[])[] =>
  demoChanges.flatMap((plan) => {
    const view = changeOf(demo, plan)
    if (!view) return []
    const { reach, title, waitsFor } = plan
    const waits = waitsFor && view.status === reach ? `waits for ${demoCast[waitsFor].name}: ` : ''
    return [[view.id, view.status.replace('_', ' '), `${waits}${title}`]]
  })
