/** One change: its content and state, the decisions, and the reader's actions. */
import { changeActor, type ChangeView } from '../../../../../proto/access/changes/change.ts'
import { customAccess } from '../../../../../proto/access/changes/change-terms.ts'
import { ErrorSummary } from '../../../../html/form.tsx'
import { IdCode, FactList, PageSection } from '../../../../html/parts.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { objectNameOf } from '../../../words/names.ts'
import { fromNow } from '../../../../html/times.ts'
import { titleOf } from '../../records/columns.ts'
import { ReviewList } from '../../reviews.tsx'
import { ChangeActions, summaryFields } from './change-actions.tsx'
import { isChangeOver } from '../lists/lanes.ts'
import { ChangeResultFacts, ChangeFacts, ChangeHistory, ChangePeople } from './facts.tsx'
import { ChangeNotices } from './notices.tsx'
import { ChangePatchTable } from './patch.tsx'
import { StateLine } from './state-line.tsx'
import {
  ChangeStatusMark,
  targetWord,
  readVisibleTarget,
  RiskMark,
  targetKindWord,
  type VisibleTarget,
} from './target.tsx'

export async function showChange(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const change = await visit.deps.governance.get(changeActor, visit.facts.caller, id)
  const target = await readVisibleTarget(visit, change)
  const { terms, proposedBy, createdAtMs } = change
  return {
    title: terms.title,
    lead: `Requested by ${objectNameOf(visit, proposedBy.id)}, ${fromNow(createdAtMs, visit.now)}.`,
    up: { href: visit.at('/changes'), label: 'Changes' },
    actions: (
      <>
        <RiskMark of={terms.risk} />
        <ChangeStatusMark of={change} />
      </>
    ),
    body: (
      <>
        <ErrorSummary problem={problem} fields={summaryFields(visit, problem)} />
        <StateLine of={change} />
        <ChangeNotices visit={visit} change={change} />
        <PageSection title="What changes">
          <Target visit={visit} change={change} target={target} />
          <ChangePatchTable visit={visit} change={change} target={target} />
        </PageSection>
        <PageSection title="Why and how">
          <ChangeFacts visit={visit} change={change} />
        </PageSection>
        <PageSection title="People">
          <ChangePeople visit={visit} change={change} />
        </PageSection>
        {change.reviews.length === 0 ? (
          ''
        ) : (
          <ReviewList visit={visit} of={change.reviews} noun="change" />
        )}
        <ChangeResultFacts visit={visit} change={change} />
        {isChangeOver(change) && change.postReview?.status !== 'due' ? (
          ''
        ) : (
          <ChangeActions visit={visit} change={change} problem={problem} />
        )}
        <PageSection title="History">
          <ChangeHistory visit={visit} of={change.history} />
          <FactList
            of={[
              { term: 'ID', is: <IdCode>{change.id}</IdCode> },
              change.digest !== null && {
                term: 'Digest of the reviewed content',
                is: <IdCode>{change.digest}</IdCode>,
              },
            ]}
          />
        </PageSection>
      </>
    ),
  }
}

/** The target, with a link if the reader can see it. */
const Target = ({
  visit,
  change,
  target,
}: {
  visit: Visit
  change: ChangeView
  target: VisibleTarget | undefined
}) => {
  const { work } = change.terms
  const applied = change.applied?.id
  if (work.does === 'nothing') return <></>
  if (work.does === 'create' || work.on === customAccess) {
    const known = 'id' in work ? work.id : applied
    const href = known === undefined ? undefined : linkTo(visit, work.on, known)
    const word = targetKindWord(change, new Map(customName(visit, known)))
    return <p>{href === undefined ? word : <a href={href}>{word}</a>}</p>
  }
  if (!target) return <p>{targetKindWord(change, new Map())}</p>
  return (
    <p>
      {targetWord(work.on)}: <a href={linkTo(visit, work.on, work.id)}>{titleOf(target.record)}</a>
    </p>
  )
}

const customName = (
  visit: Visit,
  id: string | undefined,
): readonly (readonly [string, string])[] => {
  const title = visit.find('custom', id ?? '')?.definition.title
  return id === undefined || title === undefined ? [] : [[id, title]]
}

/** Undefined if the reader has no page for it. */
function linkTo(
  visit: Visit,
  on: Parameters<typeof targetWord>[0],
  id: string,
): string | undefined {
  if (on === customAccess) {
    const custom = visit.find('custom', id)
    return custom && visit.at(`/custom/${custom.id}`)
  }
  return visit.held(on, 'read').length > 0 ? visit.at(`/records/${on}/${id}`) : undefined
}
