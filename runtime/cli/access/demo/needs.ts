/** The needs that the demo's grants, changes and requests serve. */
import { dayMs } from '../../../../proto/units.ts'
import { needAnswer, personAnswer } from '../service/answers.ts'
import { dataOf } from '../service/service.ts'
import type { DemoSignIns } from './sign-ins.ts'

export interface DemoNeed {
  readonly title: string
  readonly purpose: string
  readonly category: 'delivery' | 'integration' | 'support'
}

/** Of everything but the requests that wait, which have needs of their own. */
export const demoNeed: DemoNeed = {
  title: 'Newsletter and shop work from the same records',
  purpose: 'The newsletter tool needs current contacts, and the shop team has to see its work.',
  category: 'delivery',
}

const days = 90

/** Resolves with its id. Ada, who belongs to staff, adds it and owns it. */
export async function addNeed(
  signIns: DemoSignIns,
  client: string,
  need: DemoNeed,
): Promise<string> {
  const me = { method: 'GET', path: '/v1/me', answer: dataOf(personAnswer) } as const
  const body = {
    ...{ client_id: client, ...need },
    reference: { kind: 'contract', id: 'GC-2041' },
    owner_id: (await signIns.as('ada', me)).id,
    expected_end_at: new Date(Date.now() + days * dayMs).toISOString(),
  }
  const answer = dataOf(needAnswer)
  const { id } = await signIns.as('ada', { method: 'POST', path: '/v1/needs', body, answer })
  return id
}
