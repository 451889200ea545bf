/** The records of an area; filters and sorting are in the URL. */
import { areaRules, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { commonSorts } from '../../../../proto/access/areas/define-area.ts'
import { fieldTypesOf } from '../../../../proto/access/areas/field-type.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { recordReadOf } from '../../../../runtime/access/audit/sources/reads.ts'
import { permissionFor } from '../../../access/gate/access.ts'
import { visibleFields, type RecordJson } from '../../../../runtime/access/records/record-json.ts'
import { termsWord } from '../../html/access-title.tsx'
import { SelectField, TextField, type FieldChoice } from '../../../html/fields.tsx'
import { FilterForm } from '../../../html/filters.tsx'
import { EmptyState, Pager, PageSection, withQuery } from '../../../html/parts.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { needTitle } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { pagerLinks, rowsPerPage } from '../pager.ts'
import { areaOfPath, readingGrants, WhyFacts, type ReadingGrants } from './access.tsx'
import { AskForChange } from './changes.tsx'
import { areaColumns, isNumberField, namingSort, titleOf } from './columns.ts'
import { NewRecordLink } from './form/pages.tsx'
import { SavedViews } from './saved-views.tsx'
import { valueMarkup } from './values.tsx'

export async function showList(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const area = areaOfPath(visit)
  const held = readingGrants(visit, area)
  const { access } = held.chosen
  const page = await visit.deps.records.list(access, area, askedQuery(visit))
  const ids = page.data.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  visit.deps.reads.add(recordReadOf(access, area, ids, visit.now))
  const seen = visibleFields(areaDefinitions[area], permissionFor(access, area, 'read') ?? {})
  const isFiltered = [...visit.query].some(([name, value]) => name.startsWith('filter[') && value)
  return {
    title: areaRules[area].label,
    up: { href: visit.at('/records'), label: 'Records' },
    actions: (
      <>
        <NewRecordLink visit={visit} area={area} />
        <AskForChange visit={visit} area={area} of={held.chosen} isNew />
      </>
    ),
    body: (
      <>
        <Narrow visit={visit} area={area} held={held} seen={seen} isFiltered={isFiltered} />
        <SavedViews visit={visit} area={area} problem={problem} />
        {page.data.length === 0 ? (
          <NoRows isFiltered={isFiltered} path={visit.facts.request.path} />
        ) : (
          <DataTable
            caption={captionOf(visit, area)}
            columns={columnsOf(visit, area, seen)}
            rows={page.data}
          />
        )}
        <Pager {...pagerLinks(visit, page.page.next_cursor ?? undefined)} />
        <PageSection title="Why can I see this?">
          <WhyFacts visit={visit} area={area} of={held.chosen} />
        </PageSection>
      </>
    ),
  }
}

/** The query for REST: the page's own parameters without empty fields. */
function askedQuery(visit: Visit): URLSearchParams {
  const known = [...visit.query].filter(([name, value]) => {
    return value !== '' && (/^filter\[/.test(name) || name === 'sort' || name === 'cursor')
  })
  return new URLSearchParams([...known, ['limit', String(rowsPerPage)]])
}

const sortOf = (visit: Visit) => visit.asked('sort') ?? '-created_at'

function captionOf(visit: Visit, area: AreaKey): string {
  const sort = sortOf(visit)
  const field = sort.replace(/^-/, '')
  if (field === 'created_at') return sort.startsWith('-') ? 'Newest first' : 'Oldest first'
  return `${areaRules[area].label} by ${toWords(field).toLowerCase()}${sort.startsWith('-') ? ', descending' : ''}`
}

function columnsOf(
  visit: Visit,
  area: AreaKey,
  seen: readonly string[],
): readonly TableColumn<RecordJson>[] {
  const sorts = sortsOf(area, seen)
  const sortBy = (field: string | undefined): Pick<TableColumn<RecordJson>, 'sort'> =>
    field === undefined || !sorts.includes(field) ? {} : { sort: sortLink(visit, field) }
  const { path } = visit.facts.request
  const grant = visit.asked('grant')
  return [
    {
      label: 'Name',
      isHead: true,
      ...sortBy(namingSort(sorts)),
      cell: (record) => (
        <a href={withQuery(`${path}/${String(record['id'])}`, new URLSearchParams(), { grant })}>
          <bdi>{titleOf(record)}</bdi>
        </a>
      ),
    },
    ...areaColumns[area]
      .filter((field) => seen.includes(field))
      .map((field) => ({
        label: toWords(field),
        isNumber: isNumberField(field),
        ...sortBy(field),
        cell: (record: RecordJson) => valueMarkup(visit, field, record[field], 1),
      })),
  ]
}

const sortsOf = (area: AreaKey, seen: readonly string[]): readonly string[] =>
  [...commonSorts, ...areaDefinitions[area].sortable].filter((name) => seen.includes(name))

function sortLink(visit: Visit, field: string): NonNullable<TableColumn<never>['sort']> {
  const sort = sortOf(visit)
  const now = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const next = now === 'ascending' ? `-${field}` : field
  const { path } = visit.facts.request
  return { href: withQuery(path, visit.query, { sort: next, cursor: undefined }), now }
}

const NoRows = ({ isFiltered, path }: { isFiltered: boolean; path: string }) =>
  isFiltered ? (
    <EmptyState title="No records match this filter.">
      <p>
        <a href={path}>Show all records</a>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="There are no records yet.">
      <p>Records appear when someone creates one or a job has a result.</p>
    </EmptyState>
  )

interface NarrowProps {
  readonly visit: Visit
  readonly area: AreaKey
  readonly held: ReadingGrants
  readonly seen: readonly string[]
  readonly isFiltered: boolean
}

/** A select if the area defines the values, otherwise a text field. */
const Narrow = ({ visit, area, held, seen, isFiltered }: NarrowProps) => {
  const { filterable } = areaDefinitions[area]
  const fields = filterable.filter((field) => seen.includes(field) && !field.endsWith('_id'))
  return (
    <FilterForm path={visit.facts.request.path} isFiltered={isFiltered} label="Filter and sort">
      {held.all.length > 1 ? (
        <SelectField
          name="grant"
          label="Grant"
          value={held.chosen.grant.id}
          choices={held.all.map(({ grant }) => ({
            value: grant.id,
            label: `${termsWord(visit, grant)} (${needTitle(visit, grant.needId)})`,
          }))}
        />
      ) : (
        ''
      )}
      {fields.slice(0, 5).map((field) => {
        const name = `filter[${field}]`
        const props = { name, label: toWords(field), value: visit.asked(name) ?? '' }
        const choices = choicesOf(area, field)
        return choices ? (
          <SelectField {...props} choices={choices} />
        ) : (
          <TextField {...props} isOptional />
        )
      })}
      <SelectField
        name="sort"
        label="Sort by"
        value={sortOf(visit)}
        choices={sortsOf(area, seen).flatMap((field) => [
          { value: field, label: toWords(field) },
          { value: `-${field}`, label: `${toWords(field)}, descending` },
        ])}
      />
    </FilterForm>
  )
}

/** For an enumeration or a flag; undefined for fields that take any text. */
function choicesOf(area: AreaKey, field: string): readonly FieldChoice[] | undefined {
  const type = fieldTypesOf(areaDefinitions[area]).get(field)
  const any = { value: '', label: 'Any' }
  if (type?.kind === 'flag') {
    return [any, { value: 'true', label: 'Yes' }, { value: 'false', label: 'No' }]
  }
  if (type?.kind !== 'choice') return undefined
  return [any, ...type.values.map((value) => ({ value, label: toWords(value) }))]
}
