/** What the sample records are written with: times around now, ids that stay, the demo's people. */
import { createHash } from 'node:crypto'
import { idOfDigest } from '../../../proto/ids.ts'
import type { AreaKey } from '../../../proto/access/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { areaPrefixes } from '../../../proto/access/areas/prefixes.ts'
import type { ClientId, PersonId } from '../../../proto/access/ids.ts'
import { dayMs } from '../../../proto/access/limits.ts'

/** Who the records name: the provider's people, and the client's. */
export interface DemoPeople {
  readonly ada: PersonId
  readonly grace: PersonId
  readonly mina: PersonId
  readonly theo: PersonId
}

export interface SampleRecord {
  /** When it was made. */
  readonly daysAgo: number
  readonly fields: RecordFields
}

/** The records of one area. The nth keeps its id, so a second run makes none twice. */
export type Samples = (world: DemoWorld) => readonly SampleRecord[]

export class DemoWorld {
  readonly client: ClientId
  readonly people: DemoPeople
  readonly nowMs: number

  constructor(client: ClientId, people: DemoPeople, nowMs: number) {
    this.client = client
    this.people = people
    this.nowMs = nowMs
  }

  /** Of the nth record of an area, from 0. */
  id(area: AreaKey, n: number): string {
    const text = `demo.${this.client}.${area}.${n}`
    return idOfDigest(areaPrefixes[area], createHash('sha256').update(text).digest())
  }

  ref(area: AreaKey, n: number): { readonly area: AreaKey; readonly id: string } {
    return { area, id: this.id(area, n) }
  }

  /** `at(-2, '09:30')`: two days ago, in UTC. */
  at(days: number, time = '09:00'): string {
    return `${this.day(days)}T${time}:00.000Z`
  }

  /** `day(14)`: in two weeks. */
  day(days: number): string {
    return new Date(this.nowMs + days * dayMs).toISOString().slice(0, 10)
  }
}
