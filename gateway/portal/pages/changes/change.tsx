/** One change: its content and state, the decisions, and the reader's actions. */
import { changeActor, type ChangeView } from '../../../../proto/access/change.ts'
import { customAccess } from '../../../../proto/access/change-terms.ts'
import { ErrorSummary } from '../../html/form.tsx'
import { Code, Facts, Section } from '../../html/parts.tsx'
import type { Problem, Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { nameOf } from '../../words/names.ts'
import { fromNow } from '../../words/times.ts'
import { titleOf } from '../records/columns.ts'
import { ReviewList } from '../reviews.tsx'
import { Acts, summaryFields } from './acts.tsx'
import { isOver } from './lanes.ts'
import { Came, ChangeFacts, History, People } from './facts.tsx'
import { Notices } from './notices.tsx'
import { Patch } from './patch.tsx'
import { StateLine } from './state-line.tsx'
import { ChangeStatus, onWord, readTarget, Risk, thingWord, type SeenTarget } from './thing.tsx'

export async function showChange(visit: Visit, problem?: Problem): Promise<Shown> {
  const id = visit.param('id')
  const change = await visit.deps.governance.get(changeActor, visit.facts.caller, id)
  const target = await readTarget(visit, change)
  const { terms, proposedBy, createdAtMs } = change
  return {
    title: terms.title,
    lead: `Asked for by ${nameOf(visit, proposedBy.id)}, ${fromNow(createdAtMs, visit.now)}.`,
    up: { href: visit.at('/changes'), label: 'Changes' },
    actions: (
      <>
        <Risk of={terms.risk} />
        <ChangeStatus of={change} />
      </>
    ),
    body: (
      <>
        <ErrorSummary problem={problem} fields={summaryFields(visit, problem)} />
        <StateLine of={change} />
        <Notices visit={visit} change={change} />
        <Section title="What is changed">
          <Target visit={visit} change={change} target={target} />
          <Patch visit={visit} change={change} target={target} />
        </Section>
        <Section title="Why and how">
          <ChangeFacts visit={visit} change={change} />
        </Section>
        <Section title="People">
          <People visit={visit} change={change} />
        </Section>
        {change.reviews.length === 0 ? (
          ''
        ) : (
          <ReviewList visit={visit} of={change.reviews} noun="change" />
        )}
        <Came visit={visit} change={change} />
        {isOver(change) && change.postReview?.status !== 'due' ? (
          ''
        ) : (
          <Acts visit={visit} change={change} problem={problem} />
        )}
        <Section title="History">
          <History visit={visit} of={change.history} />
          <Facts
            of={[
              { term: 'ID', is: <Code>{change.id}</Code> },
              change.digest !== null && {
                term: 'Digest of what reviewers sign',
                is: <Code>{change.digest}</Code>,
              },
            ]}
          />
        </Section>
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
  target: SeenTarget | undefined
}) => {
  const { work } = change.terms
  const applied = change.applied?.id
  if (work.does === 'nothing') return <></>
  if (work.does === 'create' || work.on === customAccess) {
    const known = 'id' in work ? work.id : applied
    const href = known === undefined ? undefined : linkTo(visit, work.on, known)
    const word = thingWord(change, new Map(customName(visit, known)))
    return <p>{href === undefined ? word : <a href={href}>{word}</a>}</p>
  }
  if (!target) return <p>{thingWord(change, new Map())}</p>
  return (
    <p>
      {onWord(work.on)}: <a href={linkTo(visit, work.on, work.id)}>{titleOf(target.record)}</a>
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
function linkTo(visit: Visit, on: Parameters<typeof onWord>[0], id: string): string | undefined {
  if (on === customAccess) {
    const custom = visit.find('custom', id)
    return custom && visit.at(`/custom/${custom.id}`)
  }
  return visit.held(on, 'read').length > 0 ? visit.at(`/records/${on}/${id}`) : undefined
}
