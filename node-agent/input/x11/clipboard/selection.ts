/** The content types of the X clipboard, and the atoms that name them. */
import type { DisplayConnection } from '../display-connection.ts'

/** The content in one format. */
export interface SelectionContent {
  /** The type sent with the data: that of the target, except for text of older programs. */
  readonly type: number
  readonly format: 8 | 32
  readonly data: Buffer
}

/** The content in all its formats, by target. */
export type SelectionOffer = ReadonlyMap<number, SelectionContent>

const named = {
  clipboard: 'CLIPBOARD',
  targets: 'TARGETS',
  timestamp: 'TIMESTAMP',
  multiple: 'MULTIPLE',
  saveTargets: 'SAVE_TARGETS',
  remove: 'DELETE',
  incr: 'INCR',
  atom: 'ATOM',
  integer: 'INTEGER',
  string: 'STRING',
  text: 'TEXT',
  utf8: 'UTF8_STRING',
  plain: 'text/plain',
  plainUtf8: 'text/plain;charset=utf-8',
  /** The property of our own windows into which owners write their answers. */
  answer: 'TROUPE_SELECTION',
} as const

export type AtomTable = Readonly<Record<keyof typeof named, number>>

export async function selectionAtoms(display: DisplayConnection): Promise<AtomTable> {
  const found = Object.entries(named).map(async ([key, name]) => [key, await display.atom(name)])
  return Object.fromEntries(await Promise.all(found)) as AtomTable
}

/** In order of preference; targets that may lose characters are last. */
export const textTargets = (atoms: AtomTable): readonly number[] => [
  ...[atoms.utf8, atoms.plainUtf8, atoms.plain, atoms.string, atoms.text],
]

/** Targets that request information or an action instead of the content. */
export const otherTargets = (atoms: AtomTable): ReadonlySet<number> =>
  new Set([atoms.targets, atoms.timestamp, atoms.multiple, atoms.saveTargets, atoms.remove])

export function decodeContent({ type, data }: SelectionContent, { string }: AtomTable): string {
  return data.toString(type === string ? 'latin1' : 'utf8')
}

/** The text under each text target. */
export function offerOf(text: string, atoms: AtomTable): SelectionOffer {
  const data = Buffer.from(text)
  const latin = () => Buffer.from(text.replaceAll(/[^\0-\xff]/gu, '?'), 'latin1')
  return new Map(
    textTargets(atoms).map((target) => {
      const isString = target === atoms.string
      const type = target === atoms.text ? atoms.utf8 : target
      return [target, { type, format: 8, data: isString ? latin() : data }]
    }),
  )
}

export function offerText(offer: SelectionOffer, atoms: AtomTable): string {
  for (const target of textTargets(atoms)) {
    const content = offer.get(target)
    if (content) return decodeContent(content, atoms)
  }
  return ''
}
