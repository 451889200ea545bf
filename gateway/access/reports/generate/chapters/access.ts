/** Access to the client's data in the period, and findings about it. People are not named. */
import type { GrantView } from '../../../../../proto/access/grants/grant.ts'
import { dayMs, utcDay } from '../../../../../proto/units.ts'
import type { SectionBody } from '../../../../../proto/access/reports/report-content.ts'
import type { ReportChapter } from '../chapter.ts'
import { periodSpanOf, type ReportMaterial } from '../material.ts'
import { countPhrase, joinList, humanize } from '../phrases.ts'

type Finding = SectionBody<'findings'>['items'][number]

/** An unused grant older than this is a finding. */
const unusedMs = 30 * dayMs

export const accessGivenChapter: ReportChapter = {
  write(draft, material) {
    const { fromMs, untilMs } = periodSpanOf(material.period)
    const grants = material.grants.filter(
      ({ startsAtMs, endedAt, endsAtMs }) =>
        startsAtMs < untilMs && Math.min(endedAt ?? endsAtMs, endsAtMs) >= fromMs,
    )
    if (grants.length === 0) return
    const from = grants.map(toSource)
    draft.table(
      'Access to your data in this period',
      [
        'Given to',
        'Areas',
        { label: 'From', unit: 'date' },
        { label: 'Until', unit: 'date' },
        { label: 'Last used', unit: 'date' },
        'State',
      ],
      grants.map((grant) => [
        ...[holderOf(grant), joinList(grant.permissions.map(({ area }) => area))],
        ...[utcDay(grant.startsAtMs), utcDay(grant.endedAt ?? grant.endsAtMs)],
        grant.lastUsedAtMs === undefined ? 'no use recorded' : utcDay(grant.lastUsedAtMs),
        humanize(grant.status),
      ]),
      from,
    )
    const found = grants.flatMap((grant) => findingsOf(grant, material))
    if (found.length === 0) return
    const items = found.map(({ finding }) => finding)
    draft.add(
      'findings',
      'What to check about this access',
      { items },
      found.map(({ of }) => of),
    )
    const noun = countPhrase(items.length, 'point')
    draft.addSummary(`${noun} about the access to your data should be checked.`)
  },
}

const toSource = ({ id, version }: GrantView) => ({ area: 'grants', id, version }) as const

const holderOf = ({ subject }: GrantView): string =>
  subject.kind === 'person' ? 'A person' : `The integration ${subject.id}`

function findingsOf(grant: GrantView, { nowMs }: ReportMaterial) {
  const found: Finding[] = []
  const base = { category: 'access', affected_count: 1, affected: [] }
  const { status, startsAtMs, lastUsedAtMs, postReview, id } = grant
  const usedAtMs = lastUsedAtMs ?? startsAtMs
  if (status === 'active' && grant.subject.kind === 'integration' && nowMs - usedAtMs > unusedMs) {
    found.push({
      ...{
        ...base,
        severity: 'low',
        title: `${holderOf(grant)} has no recorded use of its access`,
      },
      description: `No use of ${id} is recorded since ${utcDay(usedAtMs)}.`,
      recommendation: 'Revoke it, or say what it is still needed for.',
    })
  }
  if (postReview && postReview.status !== 'done') {
    const missed = postReview.status === 'missed'
    found.push({
      ...{ ...base, severity: missed ? 'high' : 'medium' },
      title: `Emergency access ${missed ? 'was not' : 'is still to be'} reviewed afterwards`,
      description: `${id} was granted in an emergency, before a second person could review it.`,
      recommendation: 'Have a reviewer check what it was used for.',
    })
  }
  if (postReview?.selfReviewed) {
    found.push({
      ...{
        ...base,
        severity: 'medium',
        title: 'Emergency access was reviewed by a person who was involved in it',
      },
      description: `The two-person rule was overridden for ${id}.`,
      recommendation: 'Have another person review it.',
    })
  }
  return found.map((finding) => ({ finding, of: toSource(grant) }))
}
