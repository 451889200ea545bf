/**
 * The filters of a list: a form sent with GET, so that its values are in the URL. On a phone they are
 * folded until one is in use.
 */
import type { Markup } from './markup.ts'
import { SelectField, type FieldChoice } from './fields.tsx'

export const FilterForm = ({
  path,
  children,
  isFiltered,
  label = 'Filters',
}: {
  path: string
  isFiltered: boolean
  label?: string
  children?: Markup
}) => (
  <>
    {/* Not around the form: wide windows show the form, and no style can open a closed fold. */}
    <details class="folded filter-fold" open={isFiltered}>
      <summary>{label}</summary>
    </details>
    <form method="get" action={path} class="filters" role="search" aria-label={label}>
      {children}
      <div class="buttons">
        <button type="submit" class="button plain">
          Apply
        </button>
        {isFiltered ? <a href={path}>Clear</a> : ''}
      </div>
    </form>
  </>
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
