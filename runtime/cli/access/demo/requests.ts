/** Requests of the demo: drafted and submitted by one person, and approved by others. */
import { requestAnswer, type RequestAnswer } from '../service/answers.ts'
import { dataOf } from '../service/service.ts'
import type { DemoSignIns } from './sign-ins.ts'
import type { DemoPerson } from './cast.ts'

export interface DemoDecision {
  readonly asker: DemoPerson
  readonly approvers: readonly DemoPerson[]
}

const path = '/v1/access-requests'
const answer = dataOf(requestAnswer)

/** Resolves with the request as the last of them leaves it. */
export async function request(
  signIns: DemoSignIns,
  decision: DemoDecision,
  body: object,
): Promise<RequestAnswer> {
  const draft = await signIns.as(decision.asker, { method: 'POST', path, body, answer })
  return takeOn(signIns, decision, draft.id)
}

/** Continues a request that an earlier run has left in a draft or without all approvals. */
export async function takeOn(
  signIns: DemoSignIns,
  { asker, approvers }: DemoDecision,
  id: string,
): Promise<RequestAnswer> {
  const one = `${path}/${id}`
  let held = await signIns.as(asker, { method: 'GET', path: one, answer })
  if (held.status === 'draft') {
    const { version } = held
    held = await signIns.as(asker, { method: 'POST', path: `${one}/submit`, version, answer })
  }
  for (const approver of approvers.slice(held.reviews.length)) {
    const { version, digest } = held
    held = await signIns.as(approver, {
      method: 'POST',
      path: `${one}/reviews`,
      version,
      body: { decision: 'approve', reason: 'It is what the contract says, and no more.', digest },
      answer,
    })
  }
  return held
}
