/**
 * What the sample records are filled in with: times around now, stable ids, and the demo's people.
 */
import { createHash } from 'node:crypto'
import { idOfDigest } from '../../../proto/ids.ts'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { areaPrefixes } from '../../../proto/access/areas/prefixes.ts'
import type { ClientId, PersonId } from '../../../proto/access/ids.ts'
import { dayMs, utcDay } from '../../../proto/units.ts'

/** The people whom records name: those of the provider and of the client. */
export interface DemoPeople {
  readonly ada: PersonId
  readonly grace: PersonId
  readonly mina: PersonId
  readonly theo: PersonId
}

export class DemoWorld {
  readonly client: ClientId
  readonly people: DemoPeople
  readonly nowMs: number

  constructor(client: ClientId, people: DemoPeople, nowMs: number) {
    this.client = client
    this.people = people
    this.nowMs = nowMs
  }

  /**
   * The id of the nth record of an area, counted from 0. It is always the same, so that a second run
   * creates no duplicates.
   */
  id(area: AreaKey, n: number): string {
    const text = `demo.${this.client}.${area}.${n}`
    return idOfDigest(areaPrefixes[area], createHash('sha256').update(text).digest())
  }

  /** Replaces what `records.json` leaves open in a text; see `samples.ts`. */
  fill(text: string): string {
    return text.replace(/\{(\w+) ([^{}]+)\}/g, (_, kind: string, given: string) => {
      const [first = '', second = ''] = given.split(' ')
      switch (kind) {
        case 'at':
          return `${this.#day(Number(first))}T${second}:00.000Z`
        case 'day':
          return this.#day(Number(first))
        case 'id':
          return this.id(first as AreaKey, Number(second))
        case 'person':
          return this.people[first as keyof DemoPeople]
        default:
          throw new Error(`records.json of the demo has an unknown {${kind} …}`)
      }
    })
  }

  #day(days: number): string {
    return utcDay(this.nowMs + days * dayMs)
  }
}
