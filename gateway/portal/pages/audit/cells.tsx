/** Formats the fields of an audit entry, with links. */
import type { z } from 'zod'
import { isAccessId } from '../../../../proto/access/ids.ts'
import type { auditEntryJson } from '../../../access/audit/json.ts'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'

export type ShownEntry = z.output<typeof auditEntryJson>

/** For example `grant.revoked` → `Grant: revoked`. */
export function actionWord(action: string): string {
  const [kind = '', what] = action.split('.')
  return what === undefined ? toWords(kind) : `${toWords(kind)}: ${toWords(what).toLowerCase()}`
}

export const clientOf = (visit: Visit, { client_id: id }: ShownEntry) =>
  id === undefined ? 'Troupe' : clientName(visit, id)

export const actorOf = (visit: Visit, { actor: { kind, id } }: ShownEntry) =>
  kind === 'system' ? objectNameOf(visit, `system:${id}`) : objectNameOf(visit, id)

/** A link if the object has a page. */
export function aboutOf(visit: Visit, { kind, id }: ShownEntry['object']) {
  const path = pathOf(kind, id)
  const label = nameOfObject(visit, kind, id)
  return path === undefined ? label : <a href={visit.at(path)}>{label}</a>
}

function nameOfObject(visit: Visit, kind: string, id: string): string {
  if (isAccessId('person', id)) return objectNameOf(visit, id)
  return `${toWords(kind)} …${id.slice(-6)}`
}

function pathOf(kind: string, id: string): string | undefined {
  if (isAccessId('grant', id)) return `/access/${id}`
  if (isAccessId('request', id)) return `/requests/${id}`
  if (isAccessId('need', id)) return `/needs/${id}`
  if (isAccessId('token', id) && kind === 'token') return `/tokens/${id}`
  return undefined
}
