/**
 * The values that sample records are built from: times around now, stable ids, and the demo's
 * people.
 */
import { createHash } from 'node:crypto'
import { idOfDigest } from '../../../proto/ids.ts'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { areaPrefixes } from '../../../proto/access/areas/prefixes.ts'
import type { ClientId, PersonId } from '../../../proto/access/ids.ts'
import { dayMs } from '../../../proto/access/limits.ts'

/** The people whom records name: those of the provider and of the client. */
export interface DemoPeople {
  readonly ada: PersonId
  readonly grace: PersonId
  readonly mina: PersonId
  readonly theo: PersonId
}

export interface SampleRecord {
  /** Age of the record. */
  readonly daysAgo: number
  readonly fields: RecordFields
}

/**
 * The sample records of one area. The nth has a stable id, so that a second run creates no
 * duplicates.
 */
export type SampleMaker = (world: DemoWorld) => readonly SampleRecord[]

export class DemoWorld {
  readonly client: ClientId
  readonly people: DemoPeople
  readonly nowMs: number

  constructor(client: ClientId, people: DemoPeople, nowMs: number) {
    this.client = client
    this.people = people
    this.nowMs = nowMs
  }

  /** The id of the nth record of an area, counted from 0. */
  id(area: AreaKey, n: number): string {
    const text = `demo.${this.client}.${area}.${n}`
    return idOfDigest(areaPrefixes[area], createHash('sha256').update(text).digest())
  }

  ref(area: AreaKey, n: number): { readonly area: AreaKey; readonly id: string } {
    return { area, id: this.id(area, n) }
  }

  /** `at(-2, '09:30')`: two days ago at 09:30 UTC. */
  at(days: number, time = '09:00'): string {
    return `${this.day(days)}T${time}:00.000Z`
  }

  /** `day(14)`: the date in two weeks. */
  day(days: number): string {
    return new Date(this.nowMs + days * dayMs).toISOString().slice(0, 10)
  }
}
