/**
 * Checkers: what an operator switches on for one record of monitoring or of domains. A checker asks
 * the record's target again and again, and writes what it finds into the record.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../actor.ts'
import { idOfDigest } from '../ids.ts'
import type { AreaKey } from './areas.ts'
import type { RecordFields } from './areas/define-area.ts'
import type { Author, ByAuthor } from './author.ts'
import type { AccessView } from './common.ts'
import { accessId, type ClientId } from './ids.ts'
import { accessLimits as limits } from './limits.ts'

export const checkAreas = ['monitoring', 'domains'] as const satisfies readonly AreaKey[]
export type CheckArea = (typeof checkAreas)[number]

/** What a checker writes: these fields change without anybody having decided it. */
export const observedFields: Readonly<Record<CheckArea, readonly string[]>> = {
  monitoring: ['status', 'last_check_at', 'latency', 'incidents'],
  domains: ['status', 'tls', 'dns_records'],
}

/** Of monitors; nothing is asked for one of another kind. */
export const checkedKinds = ['http', 'tls', 'dns'] as const
export const isChecked = (area: CheckArea, { kind }: RecordFields): boolean =>
  area === 'domains' || checkedKinds.some((one) => one === kind)

/** The same for the same record: there is one checker of it. */
export const checkIdOf = (client: ClientId, recordId: string): string =>
  idOfDigest('chk', createHash('sha256').update(`${client}.${recordId}`).digest())

export const checkBody = z.strictObject({
  client_id: accessId('client').describe('Whose record it is.'),
  enabled: z.boolean(),
  interval_seconds: z
    .int()
    .min(limits.checkIntervalSecondsLeast)
    .max(limits.checkIntervalSecondsMost)
    .default(limits.checkIntervalSeconds),
})

export interface CheckInput {
  readonly id: string
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly by: Author
  readonly area: CheckArea
  readonly recordId: string
}

/** `gone`: its record was deleted, so nothing is left to check. */
export type CheckStatus = 'off' | 'on' | 'gone'

export interface CheckView extends AccessView {
  readonly tenant: ClientId
  readonly area: CheckArea
  readonly recordId: string
  readonly status: CheckStatus
  readonly intervalSeconds: number
  /** Wall-clock ms; null while it is not on. */
  readonly nextCheckAtMs: number | null
}

export interface CheckReply {
  readonly view: CheckView
}

/** The record is named for the audit, which tells of events alone. */
interface Switch extends ByAuthor {
  readonly recordId: string
}

export const checkActor = actorProtocol<CheckInput, CheckView>()('check', {
  created: queryVerb<CheckReply>(),
  get: queryVerb<CheckReply>(),
  /** The first check is made at once. Of one that is on already, it changes the interval. */
  switch_on: commandVerb<CheckReply, Switch & { readonly intervalSeconds: number }>(),
  switch_off: commandVerb<CheckReply, Switch>(),
})
