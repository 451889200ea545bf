/**
 * A report while it is written. Whatever a section says is said with the records that it was read
 * from, so every figure can be traced to a version of a record.
 */
import type { AreaKey } from '../../../../proto/access/areas.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type {
  ReportSection,
  ReportSource,
  SectionBody,
  SourceKind,
} from '../../../../proto/access/report-content.ts'
import { ServiceError } from '../../../../proto/errors.ts'

/** A record, or an entity of the governance. */
export interface Citable {
  readonly area: SourceKind
  readonly id: string
  readonly version: number
}

type Figure = SectionBody<'metric'>['items'][number]
type Column = string | SectionBody<'table'>['columns'][number]
type Cell = SectionBody<'table'>['rows'][number][number]

export class ReportDraft {
  readonly #sources: ReportSource[] = []
  readonly #places = new Map<string, number>()
  readonly #sections: ReportSection[] = []
  readonly #figures: Figure[] = []
  readonly #figureSources: Citable[] = []
  readonly #sentences: string[] = []
  #title: string | undefined
  /** Asked for and held, whether or not there was a record. */
  readonly areas: readonly AreaKey[]

  constructor(areas: readonly AreaKey[]) {
    this.areas = areas
  }

  add<K extends ReportSection['kind']>(
    kind: K,
    heading: string,
    body: SectionBody<K>,
    from: readonly Citable[],
  ): void {
    const sources = this.#cite(from)
    // Of one kind, so are its body and itself.
    this.#sections.push({ heading, kind, body, sources } as ReportSection)
  }

  /** With the newest rows, where there are too many; a column is a label, or a label and its unit. */
  table(
    heading: string,
    columns: readonly Column[],
    rows: readonly (readonly Cell[])[],
    from: readonly Citable[],
  ): void {
    const body: SectionBody<'table'> = {
      columns: columns.map((one) => (typeof one === 'string' ? { label: one } : one)),
      rows: rows.slice(-limits.reportRows).map((row) => [...row]),
    }
    this.add('table', heading, body, from)
  }

  /** One of the few figures that stand first. */
  figure(figure: Figure, from: readonly Citable[]): void {
    this.#figures.push(figure)
    this.#figureSources.push(...from)
  }

  /** A title that says more than the kind does. */
  call(title: string): void {
    this.#title = title.slice(0, limits.nameChars)
  }

  get title(): string | undefined {
    return this.#title
  }

  /** A sentence of the summary. */
  say(sentence: string): void {
    this.#sentences.push(sentence)
  }

  finished() {
    const figures = this.#figures.slice(0, limits.reportMetrics)
    const first: ReportSection[] =
      figures.length === 0
        ? []
        : [
            {
              heading: 'At a glance',
              kind: 'metric',
              body: { items: figures },
              sources: this.#cite(this.#figureSources),
            },
          ]
    return {
      summary: this.#sentences.join(' '),
      sections: [...first, ...this.#sections].slice(0, limits.reportSections),
      sources: this.#sources,
    }
  }

  #cite(from: readonly Citable[]): number[] {
    const places = from.map(({ area, id, version }) => {
      const known = this.#places.get(id)
      if (known !== undefined) return known
      const place = this.#sources.push({ area, id, version }) - 1
      this.#places.set(id, place)
      return place
    })
    if (this.#sources.length > limits.reportSources) {
      const text = `More than ${limits.reportSources} records belong to this period`
      throw new ServiceError(
        'validation_failed',
        `${text}; ask for a shorter one, or fewer areas.`,
        {
          fields: ['/period'],
        },
      )
    }
    return [...new Set(places)].sort((a, b) => a - b)
  }
}
