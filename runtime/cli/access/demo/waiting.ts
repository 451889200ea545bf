/** Requests that wait, one for each role that decides on requests. */
import type { RequestView } from '../../../../proto/access/grants/request.ts'
import { approvals } from '../../../../proto/access/grants/review-slots.ts'
import { dayMs } from '../../../../proto/units.ts'
import { addNeed, type DemoNeed } from './needs.ts'
import { request, takeOn, type DemoDecision } from './requests.ts'
import type { DemoSignIns } from './sign-ins.ts'
import { demoCast, type DemoPerson } from './cast.ts'
import type { DemoState, FoundedDemo } from './state.ts'

interface WaitingRequest extends DemoDecision {
  readonly need: DemoNeed
  readonly waitsFor: DemoPerson
  readonly body: (people: FoundedDemo['people']) => object
}

const days = 21

const plans: readonly WaitingRequest[] = [
  {
    need: {
      title: 'Follow the automations of the shop',
      purpose: 'Before the holidays, Theo wants to see which e-mails the shop sends by itself.',
      category: 'support',
    },
    ...{ asker: 'theo', approvers: [], waitsFor: 'grace' },
    body: ({ theo }) => ({
      path: 'portal',
      subject: { kind: 'person', id: theo.id },
      permissions: [{ area: 'workflow-actions', actions: ['read'] }],
      justification: 'I answer customers who ask why they got a reminder of an unfinished order.',
    }),
  },
  {
    need: {
      title: 'Ask wholesale customers what they think of the deliveries',
      purpose: 'A survey goes to all wholesale customers once, by e-mail, after their next order.',
      category: 'integration',
    },
    ...{ asker: 'ada', approvers: ['grace'], waitsFor: 'mina' },
    body: () => ({
      path: 'api',
      subject: { kind: 'integration', id: 'survey' },
      permissions: [{ area: 'contacts', actions: ['read'] }],
      justification: 'The survey tool reads whom to write to; it stores the answers elsewhere.',
    }),
  },
]

const isOpen = ({ status }: { readonly status: string }) => status !== 'closed'
const needOf = ({ needs }: DemoState, { need: { title } }: WaitingRequest) =>
  needs.find((one) => one.title === title && isOpen(one))

/** Undefined if it is missing or nobody can decide on it any more. What was decided stays. */
function requestOf(demo: DemoState, plan: WaitingRequest): RequestView | undefined {
  const needId = needOf(demo, plan)?.id
  return demo.requests.find(
    ({ status, terms }) =>
      terms.needId === needId && !['withdrawn', 'expired', 'lapsed'].includes(status),
  )
}

const isBehind = (view: RequestView, { approvers }: WaitingRequest): boolean =>
  view.status === 'draft' ||
  (view.status === 'pending' && approvals(view).length < approvers.length)

export const areRequestsWaiting = (demo: DemoState): boolean =>
  plans.every((plan) => {
    const view = requestOf(demo, plan)
    return view !== undefined && !isBehind(view, plan)
  })

export async function completeWaiting(signIns: DemoSignIns, demo: FoundedDemo): Promise<void> {
  const { client, scope, people } = demo
  for (const plan of plans) {
    const view = requestOf(demo, plan)
    if (view && isBehind(view, plan)) await takeOn(signIns, plan, view.id)
    if (view) continue
    await request(signIns, plan, {
      ...{ client_id: client.id, scope_id: scope.id },
      need_id: needOf(demo, plan)?.id ?? (await addNeed(signIns, client.id, plan.need)),
      ends_at: new Date(Date.now() + days * dayMs).toISOString(),
      ...plan.body(people),
    })
  }
}

/** Who has something to decide, and what. */
export const waitingRows = (demo: DemoState): readonly (readonly string[])[] =>
  plans.flatMap((plan) => {
    const view = requestOf(demo, plan)
    if (view?.status !== 'pending') return []
    return [[view.id, `waits for ${demoCast[plan.waitsFor].name}: ${plan.need.title}`]]
  })
