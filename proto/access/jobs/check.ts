/**
 * Checkers: an operator switches one on for a record of monitoring or domains. It checks the
 * record's target at an interval and writes its findings into the record.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import { idOfDigest } from '../../ids.ts'
import type { AreaKey } from '../areas/areas.ts'
import type { RecordFields } from '../areas/define-area.ts'
import type { Author, ByAuthor } from '../author.ts'
import type { AccessView } from '../common.ts'
import { accessId, type ClientId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'

export const checkAreas = ['monitoring', 'domains'] as const satisfies readonly AreaKey[]
export type CheckArea = (typeof checkAreas)[number]

/** Fields that a checker writes; they change without a person's decision. */
export const observedFields: Readonly<Record<CheckArea, readonly string[]>> = {
  monitoring: ['status', 'last_check_at', 'latency', 'incidents'],
  domains: ['status', 'tls', 'dns_records'],
}

/** The kinds of monitors that are checked; monitors of other kinds are not. */
export const checkedKinds = ['http', 'tls', 'dns'] as const
export const isChecked = (area: CheckArea, { kind }: RecordFields): boolean =>
  area === 'domains' || checkedKinds.some((one) => one === kind)

/** Derived from the record, so a record has at most one checker. */
export const checkIdOf = (client: ClientId, recordId: string): string =>
  idOfDigest('chk', createHash('sha256').update(`${client}.${recordId}`).digest())

export const checkBody = z.strictObject({
  client_id: accessId('client').describe('The client that owns the record.'),
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

/** `gone`: the record was deleted, so the checker has ended. */
export type CheckStatus = 'off' | 'on' | 'gone'

export interface CheckView extends AccessView {
  readonly tenant: ClientId
  readonly area: CheckArea
  readonly recordId: string
  readonly status: CheckStatus
  readonly intervalSeconds: number
  /** Wall-clock ms; null while it is off. */
  readonly nextCheckAtMs: number | null
}

export interface CheckReply {
  readonly view: CheckView
}

/** Names the record for the audit, which is derived from events only. */
interface Switch extends ByAuthor {
  readonly recordId: string
}

export const checkActor = actorProtocol<CheckInput, CheckView>()('check', {
  created: queryVerb<CheckReply>(),
  get: queryVerb<CheckReply>(),
  /** The first check runs at once. If the checker is on already, only its interval changes. */
  switch_on: commandVerb<CheckReply, Switch & { readonly intervalSeconds: number }>(),
  switch_off: commandVerb<CheckReply, Switch>(),
})
