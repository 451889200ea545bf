/** What can be found: sections of guides and READMEs, operations of the reference, and settings. */
import { settingsTable } from '../../../runtime/config/config.ts'
import type { Json } from '../../routing/openapi/json.ts'
import { textOfHtml } from '../html-text.ts'
import type { RenderedPage } from '../markdown.ts'

export interface FoundPlace {
  readonly kind: 'guide' | 'inside' | 'reference' | 'setting'
  readonly title: string
  /** The page that it is on, or the request that it is about. */
  readonly under: string
  readonly href: string
  readonly text: string
}

/** The sections of a page, the first of them its beginning. */
export function sectionsOf(
  { title, html, headings }: RenderedPage,
  href: string,
  kind: 'guide' | 'inside',
): readonly FoundPlace[] {
  const titles = new Map(headings.map(({ id, text }) => [id, text]))
  const [beginning = '', ...rest] = html.split(/<h[23] id="([^"]*)">/)
  const sections = Array.from({ length: rest.length / 2 }, (_, n) => {
    const [id = '', content = ''] = rest.slice(2 * n)
    const text = plainText(content.replace(/^.*?<\/h[23]>/s, ''))
    return { kind, title: titles.get(id) ?? title, under: title, href: `${href}#${id}`, text }
  })
  return [{ kind, title, under: title, href, text: plainText(beginning) }, ...sections]
}

const plainText = (html: string): string => textOfHtml(html, ' ').replaceAll(/\s+/g, ' ').trim()

/** Of swagger-ui, which opens an operation by its chapter and its id. */
const placeOf = (tag: string, id: string) => `/docs/api#/${encodeURIComponent(tag)}/${id}`

interface Operation {
  readonly tags?: readonly string[]
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
}

/** `document`: that of OpenAPI. */
export function operationsOf(document: Json): readonly FoundPlace[] {
  const { paths, components } = document as unknown as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    components: { schemas: Readonly<Record<string, unknown>> }
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): FoundPlace => {
      const { tags: [tag = ''] = [], operationId: id = '', summary = '' } = operation
      const words = new Set<string>([operation.description ?? ''])
      addWords(operation, components.schemas, words)
      return {
        ...{ kind: 'reference', title: summary, under: `${method.toUpperCase()} ${path}` },
        ...{ href: placeOf(tag, id), text: [...words].join(' ') },
      }
    }),
  )
}

/** The names of fields and parameters with what is said of them, also in shared schemas. */
function addWords(
  value: unknown,
  schemas: Readonly<Record<string, unknown>>,
  words: Set<string>,
): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'properties') for (const field of Object.keys(inner as object)) words.add(field)
    if ((name === 'name' || name === 'description') && typeof inner === 'string') words.add(inner)
    if (name === '$ref') {
      const shared = String(inner).split('/').at(-1)!
      addWords(schemas[shared], {}, words)
    } else if (name !== 'responses' && name !== 'example') {
      addWords(inner, schemas, words)
    }
  }
}

const settingsPlace = '/docs/inside/runtime/cli#settings'

export const settingPlaces = (): readonly FoundPlace[] =>
  Object.entries(settingsTable).map(([name, { help }]) => ({
    ...{ kind: 'setting', title: name, under: 'Settings', href: settingsPlace, text: help },
  }))
