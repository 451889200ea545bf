/**
 * The second step: areas, their permissions, and how the access is used. Areas outside the contract
 * are disabled.
 */
import {
  areaGroups,
  isCustomArea,
  areaRulesOf,
  customAreaSlug,
  type AreaGroup,
  type CustomArea,
  type PermittedArea,
} from '../../../../proto/access/areas/areas.ts'
import type { AccessPath } from '../../../../proto/access/engagement/scope.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { ChoiceField, type FieldChoice } from '../../../html/fields.tsx'
import { ErrorSummary, hiddenField } from '../../../html/form.tsx'
import { fieldsWord, whereWord } from '../../html/permissions.tsx'
import { EmptyState } from '../../../html/parts.tsx'
import type { PageOutcome } from '../../page.ts'
import { problemOf } from '../../../html/forms/problem.ts'
import type { Visit } from '../../visit.ts'
import { toWords } from '../../words/words.ts'
import { ownersOf } from './need.tsx'
import {
  askableAreas,
  askStateIn,
  chosenScope,
  askClient,
  askStatePairs,
  currentScopes,
  stepHref,
  type AskState,
  type CurrentScope,
} from './state.ts'
import { StepList } from './steps.tsx'

/** The answer of the first step that is missing, if any. */
export function firstStepGap({ one }: AskState): 'need' | 'program' | undefined {
  if (one('need') === undefined) return 'need'
  const isNamed = /^[a-z0-9][a-z0-9-]{0,62}$/.test(one('program') ?? '')
  return one('who') === 'program' && !isNamed ? 'program' : undefined
}

export function showAreas(visit: Visit): PageOutcome {
  const asking = askStateIn(visit)
  const back = firstStepGap(asking)
  if (back) return { to: stepHref(visit, '', [...askStatePairs(asking), ['missing', back]]) }
  const client = askClient(visit, asking)
  const scopes = currentScopes(visit, client)
  const chosen = chosenScope(scopes, asking)
  const renewed = visit.find('grant', asking.one('renews') ?? '')
  const areas =
    asking.areas.length > 0 || !renewed
      ? asking.areas
      : renewed.permissions.flatMap(({ area, actions }) => actions.map((one) => `${area}:${one}`))
  const problem =
    visit.asked('missing') === 'areas'
      ? problemOf(new ServiceError('validation_failed', 'Choose at least one area.'))
      : undefined
  return {
    title: 'Choose the areas',
    lead: 'Request only what the work needs. Anything beyond read access requires two reviewers.',
    up: { href: stepHref(visit, '', askStatePairs(asking)), label: 'Back to the need' },
    body: (
      <>
        <StepList at={1} />
        {chosen ? (
          <form method="get" action={visit.at('/ask/time')}>
            <ErrorSummary problem={problem} />
            {askStatePairs(asking, ['area', 'scope', 'path']).map(([name, value]) =>
              hiddenField(name, value),
            )}
            {hiddenField('scope', chosen.scope.id)}
            <Scopes visit={visit} scopes={scopes} chosen={chosen} asking={asking} />
            <ChoiceField
              {...{ name: 'path', label: 'How will it be used?', kind: 'radio' }}
              choices={pathsFor(asking, chosen)}
              chosen={[asking.one('path') ?? pathsFor(asking, chosen)[0]?.value ?? '']}
            />
            {(Object.keys(areaGroups) as AreaGroup[]).map((group) => (
              <div class="area-group">
                <h2>{areaGroups[group].label}</h2>
                {areaGroups[group].areas.map((area) => (
                  <Area visit={visit} area={area} chosen={chosen} areas={areas} />
                ))}
              </div>
            ))}
            <CustomViews visit={visit} chosen={chosen} areas={areas} />
            <button type="submit" class="button main">
              Continue
            </button>
          </form>
        ) : (
          <EmptyState title="No service scope is in force.">
            <p>Access can be granted only within a service scope. Ask your contact.</p>
          </EmptyState>
        )}
      </>
    ),
  }
}

const pathWords: Readonly<Record<AccessPath, FieldChoice>> = {
  portal: { value: 'portal', label: 'In this portal', hint: 'People view records on these pages.' },
  api: { value: 'api', label: 'Through the API', hint: 'Programs call the API with tokens.' },
  reports: { value: 'reports', label: 'As reports', hint: 'People read reports, signed in.' },
  webhooks: {
    value: 'webhooks',
    label: 'Through webhooks',
    hint: 'Requires approval by an owner of the client.',
  },
  custom: { value: 'custom', label: 'Through custom access', hint: 'Requires two reviewers.' },
}

/** Programs use tokens and webhooks; the other paths are for people who sign in. */
const pathsFor = ({ one }: AskState, { terms }: CurrentScope): readonly FieldChoice[] =>
  Object.values(pathWords)
    .filter(({ value }) => terms.paths.some((path) => path === value))
    .filter(({ value }) => one('who') !== 'program' || !['portal', 'reports'].includes(value))

/** Other scopes are links, because the choice of areas depends on the scope. */
const Scopes = ({
  visit,
  scopes,
  chosen,
  asking,
}: {
  visit: Visit
  scopes: readonly CurrentScope[]
  chosen: CurrentScope
  asking: AskState
}) => (
  <p>
    Within the service scope <strong>{chosen.terms.name}</strong>.
    {scopes
      .filter((one) => one !== chosen)
      .map(({ scope, terms }) => (
        <>
          {' '}
          <a
            href={stepHref(visit, '/areas', [
              ...askStatePairs(asking, ['scope', 'area']),
              ['scope', scope.id],
            ])}
          >
            {`Use ${terms.name} instead`}
          </a>
        </>
      ))}
  </p>
)

/** The custom views of the scope. Says how a view is made if there are none. */
const CustomViews = ({
  visit,
  chosen,
  areas,
}: {
  visit: Visit
  chosen: CurrentScope
  areas: readonly string[]
}) => {
  const views = askableAreas(chosen).filter(isCustomArea)
  if (views.length === 0) return <></>
  return (
    <div class="area-group">
      <h2>Custom views</h2>
      {views.map((area) => (
        <Area visit={visit} area={area} chosen={chosen} areas={areas} />
      ))}
    </div>
  )
}

function viewTitle(visit: Visit, { scope }: CurrentScope, area: CustomArea): string {
  const slug = customAreaSlug(area)
  const view = visit.list('custom', scope.tenant).find(({ definition }) => definition.slug === slug)
  return view?.definition.title ?? slug
}

const Area = ({
  visit,
  area,
  chosen,
  areas,
}: {
  visit: Visit
  area: PermittedArea
  chosen: CurrentScope
  areas: readonly string[]
}) => {
  const bound = chosen.terms.areas.find((one) => one.area === area)
  const { actions, sensitivity } = areaRulesOf(area)
  const label = isCustomArea(area) ? viewTitle(visit, chosen, area) : areaRulesOf(area).label
  const isShut = (action: (typeof actions)[number]) => !bound?.actions.includes(action)
  const notes = [
    ...(sensitivity === 'personal' ? ['Personal data.'] : []),
    ...(bound ? [] : [`Not in the service scope. Ask ${ownersOf(visit)} to have it added.`]),
    ...(bound?.fields ? [`Fields: ${fieldsWord(bound.fields)}.`] : []),
    ...(bound?.where ? [`Records: ${whereWord(bound.where)}.`] : []),
  ]
  return (
    <ChoiceField
      {...{ name: 'area', label, kind: 'checkbox', isInline: true, id: area }}
      {...(notes.length > 0 && { hint: notes.join(' ') })}
      choices={actions.map((action) => ({
        value: `${area}:${action}`,
        label: toWords(action),
        isClosed: isShut(action),
      }))}
      chosen={areas}
    />
  )
}
