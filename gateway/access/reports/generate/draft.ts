/**
 * Collects the parts of a report. Every section is added with the records it was computed from, so
 * each figure can be traced to a version of a record.
 */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type {
  ReportSection,
  ReportSource,
  SectionBody,
  SourceKind,
} from '../../../../proto/access/reports/report-content.ts'
import { ServiceError } from '../../../../proto/errors.ts'

/** A record, or a governance entity. */
export interface CitableSource {
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
  readonly #figureSources: CitableSource[] = []
  readonly #sentences: string[] = []
  #title: string | undefined
  /** The areas that were requested and may be read, with or without records. */
  readonly areas: readonly AreaKey[]

  constructor(areas: readonly AreaKey[]) {
    this.areas = areas
  }

  add<K extends ReportSection['kind']>(
    kind: K,
    heading: string,
    body: SectionBody<K>,
    from: readonly CitableSource[],
  ): void {
    const sources = this.#cite(from)
    // The body's type is that of `kind`.
    this.#sections.push({ heading, kind, body, sources } as ReportSection)
  }

  /** Keeps the last rows if there are too many, and says so; a column is a label, or a label with a unit. */
  table(
    heading: string,
    columns: readonly Column[],
    rows: readonly (readonly Cell[])[],
    from: readonly CitableSource[],
  ): void {
    const body: SectionBody<'table'> = {
      columns: columns.map((one) => (typeof one === 'string' ? { label: one } : one)),
      rows: rows.slice(-limits.reportRows).map((row) => [...row]),
    }
    const most = limits.reportRows
    const cut = rows.length > most ? `, the last ${most} of ${rows.length}` : ''
    this.add('table', `${heading}${cut}`, body, from)
  }

  /** Adds one of the figures in the first section. */
  figure(figure: Figure, from: readonly CitableSource[]): void {
    this.#figures.push(figure)
    this.#figureSources.push(...from)
  }

  /** Sets a title that is more specific than the report's kind. */
  setTitle(title: string): void {
    this.#title = title.slice(0, limits.nameChars)
  }

  get title(): string | undefined {
    return this.#title
  }

  /** Adds a sentence to the summary. */
  addSummary(sentence: string): void {
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

  #cite(from: readonly CitableSource[]): number[] {
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
        `${text}; request a shorter period, or fewer areas.`,
        {
          fields: ['/period'],
        },
      )
    }
    return [...new Set(places)].sort((a, b) => a - b)
  }
}
