/** The answers of record routes to tokens: a line for each group of areas. */
import {
  areaGroups,
  type AreaAction,
  type AreaGroup,
} from '../../../../proto/access/areas/areas.ts'
import { contracted } from '../clients.ts'
import { only, type Answers, type Row } from './answers.ts'

/** The permission of a token that each method of a group's routes requires. */
type Asks = Readonly<Record<string, AreaAction>>

const direct: Asks = { GET: 'read', POST: 'write', PATCH: 'write', DELETE: 'delete' }
/** Only managed changes write these: a caller who may read gets a 409 that says so. */
const managed: Asks = { GET: 'read', POST: 'read', PATCH: 'read', DELETE: 'read' }

/** A line for each group. An area without a route of that method needs no entry. */
const recordRows: Readonly<Record<AreaGroup, Asks>> = {
  client_context: direct,
  marketing_work: direct,
  software_delivery: managed,
  automation_and_ai: managed,
}

/** The row of a record route such as `GET /v1/contacts/{id}`. */
export function recordRow(method: string, path: string): Row | undefined {
  const area = path.split('/')[2] ?? ''
  for (const [group, asks] of Object.entries(recordRows)) {
    const { areas } = areaGroups[group as AreaGroup]
    const action = asks[method]
    if (action !== undefined && areas.some((each) => each === area)) {
      return { answers: toRecords(area, action), id: () => 'rec_00000000000000000000000000' }
    }
  }
  return undefined
}

export function toRecords(area: string, action: AreaAction): Answers {
  const isContracted = contracted.some((one) => one.area === area && one.actions.includes(action))
  const granted = (isGranted: boolean) => (isGranted ? 'in' : 403)
  const isElsewhere = area === 'tasks' && ['read', 'write'].includes(action)
  return only([], 403, {
    'token of another client': granted(isContracted),
    'token for another area': granted(isElsewhere),
    'token to read contacts': granted(area === 'contacts' && action === 'read'),
    'token for everything': granted(isContracted),
  })
}
