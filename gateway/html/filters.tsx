/** The filters of a list: a form sent with GET, so that its values are in the URL. */
import type { Markup } from './markup.ts'
import { SelectField, type FieldChoice } from './fields.tsx'

export const FilterForm = ({
  path,
  children,
  isFiltered,
}: {
  path: string
  isFiltered: boolean
  children?: Markup
}) => (
  <form method="get" action={path} class="filters" role="search" aria-label="Filters">
    {children}
    <div class="buttons">
      <button type="submit" class="button plain">
        Apply
      </button>
      {isFiltered ? <a href={path}>Clear</a> : ''}
    </div>
  </form>
)

export const StatusFilter = ({
  choices,
  value,
}: {
  choices: readonly FieldChoice[]
  value: string | undefined
}) => (
  <SelectField
    name="status"
    label="Status"
    choices={[{ value: '', label: 'Any' }, ...choices]}
    value={value ?? ''}
  />
)
