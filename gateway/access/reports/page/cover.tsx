/** The top of a report (title, subject, client) and its end with the data to verify it. */
import type { ReportKind } from '../../../../proto/access/reports/report-content.ts'
import { periodText } from '../generate/generate.ts'
import type { ShownReport } from '../shown.ts'
import { paragraphs, plain } from './text.ts'

const kinds: Readonly<Record<ReportKind, string>> = {
  audit: 'Audit',
  metrics: 'Metrics',
  work_summary: 'Work summary',
}

interface Props {
  readonly report: ShownReport
}

export function ReportCover({ report }: Props) {
  const { kind, title, client, period, summary, published_at } = report
  return (
    <header class="cover">
      <p class="kind">{kinds[kind]}</p>
      <h1>{plain(title)}</h1>
      <dl class="facts">
        {client.name !== '' && <Fact term="Prepared for" text={client.name} />}
        {period && <Fact term="Period" text={periodText(period)} />}
        {published_at !== undefined && (
          <Fact term="Published" text={timeIn(client.timezone, published_at)} />
        )}
      </dl>
      <StatusNotice report={report} />
      {summary !== '' && (
        <div class="summary">
          {paragraphs(summary).map((text, n) => (
            <p key={n}>{text}</p>
          ))}
        </div>
      )}
    </header>
  )
}

const Fact = ({ term, text }: { readonly term: string; readonly text: string }) => (
  <div>
    <dt>{term}</dt>
    <dd>{plain(text)}</dd>
  </div>
)

/** A notice for drafts and superseded reports. */
function StatusNotice({ report: { status, superseded_by } }: Props) {
  if (status === 'draft') {
    return <p class="standing">This is a draft. It is not published and may still change.</p>
  }
  if (status !== 'superseded') return null
  return (
    <p class="standing">
      This report was replaced by a newer one{superseded_by !== undefined && `: ${superseded_by}`}.
    </p>
  )
}

export function ReportColophon({ report: { id, digest, status, version } }: Props) {
  return (
    <footer>
      <p>
        Report <code>{id}</code>, version {version}.
        {status !== 'draft' && digest !== undefined && (
          <>
            {' '}
            Its content can no longer change. SHA-256: <code>{digest}</code>.
          </>
        )}
      </p>
    </footer>
  )
}

function timeIn(timeZone: string, time: string): string {
  const style = { dateStyle: 'long', timeStyle: 'short' } as const
  try {
    return `${new Intl.DateTimeFormat('en-GB', { ...style, timeZone }).format(new Date(time))} (${timeZone})`
  } catch {
    // This host does not know the time zone.
    return `${new Intl.DateTimeFormat('en-GB', { ...style, timeZone: 'UTC' }).format(new Date(time))} (UTC)`
  }
}
