/** The saved lists of an area, and saving the current one. */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { savedQuery, type SavedView } from '../../../../proto/access/people/saved-view.ts'
import { TextField } from '../../../html/fields.tsx'
import { ErrorSummary, Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import { withQuery } from '../../../html/parts.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { Visit } from '../../visit.ts'
import { areaOfPath } from './access.tsx'

interface SavedViewsProps {
  readonly visit: Visit
  readonly area: AreaKey
  readonly problem: FormProblem | undefined
}

const listPath = (visit: Visit, area: AreaKey) => visit.at(`/records/${area}`)
const pathOf = (visit: Visit, { area, query }: SavedView) =>
  withQuery(listPath(visit, area), new URLSearchParams(query), {})
const shownQuery = ({ query }: Visit) => savedQuery(query.toString())

export const SavedViews = ({ visit, area, problem }: SavedViewsProps) => {
  const saved = visit.person.savedViews.filter((view) => view.area === area)
  const shown = shownQuery(visit)
  const current = saved.find(({ query }) => query === shown)
  return (
    <>
      <ErrorSummary problem={problem} fields={[{ name: 'name', label: 'Name' }]} />
      {saved.length === 0 ? '' : <Links visit={visit} saved={saved} current={current} />}
      {current ? <Remove visit={visit} view={current} /> : ''}
      {shown === '' || current ? '' : <Keep visit={visit} area={area} problem={problem} />}
    </>
  )
}

const Links = ({
  visit,
  saved,
  current,
}: {
  visit: Visit
  saved: readonly SavedView[]
  current: SavedView | undefined
}) => (
  <nav class="saved" aria-label="Saved views">
    <span class="quiet">Saved views</span>
    <ul>
      {saved.map((view) => (
        <li>
          <a href={pathOf(visit, view)} aria-current={view === current ? 'page' : undefined}>
            <bdi>{view.name}</bdi>
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

const Keep = ({ visit, area, problem }: SavedViewsProps) => (
  <Collapsible label="Save this view" isOpen={problem !== undefined}>
    <PostForm
      visit={visit}
      action={withQuery(`${listPath(visit, area)}/views`, visit.query, { cursor: undefined })}
      class="narrow"
    >
      <TextField
        {...{ name: 'name', label: 'Name', problem, autocomplete: 'off' }}
        hint="Saves the current filters and sort order, for you only."
        value={visit.form.text('name')}
      />
      <SubmitButton kind="plain">Save</SubmitButton>
    </PostForm>
  </Collapsible>
)

const Remove = ({ visit, view }: { visit: Visit; view: SavedView }) => (
  <PostForm visit={visit} action={`${listPath(visit, view.area)}/views/${view.id}/remove`}>
    <button type="submit" class="link">
      Remove the saved view “<bdi>{view.name}</bdi>”
    </button>
  </PostForm>
)

export async function saveView(visit: Visit): Promise<Redirect> {
  const area = areaOfPath(visit)
  const query = shownQuery(visit)
  await visit.do('POST /v1/me/views', { body: { area, name: visit.form.text('name'), query } })
  const to = withQuery(listPath(visit, area), new URLSearchParams(query), {})
  return { to, notice: 'view-saved' }
}

export async function removeView(visit: Visit): Promise<Redirect> {
  await visit.do('DELETE /v1/me/views/{id}', { params: { id: visit.param('id') } })
  return { to: listPath(visit, areaOfPath(visit)), notice: 'view-removed' }
}
