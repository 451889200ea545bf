/** What the archive has to know of a kind of actors, and of nothing else in their views. */
import { createHash } from 'node:crypto'
import type { ActorView } from '../../../proto/actor.ts'

/** How to read the views of one kind. */
export interface ArchivedKind {
  statusOf(view: ActorView): string
  /** Wall-clock ms. */
  createdMsOf(view: ActorView): number
  /** What its lists can be filtered by; see {@link facet}. */
  facetsOf(view: ActorView): readonly string[]
  /** Of an actor that has ended. */
  useOf(view: ActorView): ActorUse
}

/** What an actor, or all of a day and key, has used. */
export interface ActorUse {
  readonly tenant: string
  /** Of the creation, in UTC: `2026-11-30`. */
  readonly day: string
  /** The name of the key that created it. */
  readonly key: string
  /** Integers, so that they can be added and taken away again. */
  readonly figures: Readonly<Record<string, number>>
}

/** Whose use, and on which days, both inclusive. */
export interface UseRange {
  readonly tenant: string
  readonly fromDay: string
  readonly toDay: string
}

/**
 * The name of a property that views are found by, such as a tag: a digest, because a key of the index
 * is short, and readable by whoever reads the file.
 */
export const facet = (property: string, value: string): string =>
  createHash('sha256').update(`${property} ${value}`).digest('base64url').slice(0, 16)

/** Adds figures by name, or takes them away. */
export function addFigures(
  sums: Record<string, number>,
  figures: Readonly<Record<string, number>>,
  by: 1 | -1,
): void {
  for (const [name, figure] of Object.entries(figures)) {
    sums[name] = (sums[name] ?? 0) + by * figure
  }
}
