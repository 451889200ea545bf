import { onFieldValue, onCreate, recordRule, recordTypes } from './event-type.ts'

/** A partially completed job has a result too; the record says which. */
const done = onFieldValue('status', 'completed', 'partial')
const failed = onFieldValue('status', 'failed')

export const marketingWorkEvents = [
  ...recordTypes('seo-audits', [
    recordRule('seo_audit.completed', 'An SEO audit has its findings.', done),
    recordRule('seo_audit.failed', 'An SEO audit failed.', failed),
  ]),
  ...recordTypes('content-gaps', [
    recordRule('content_gap.identified', 'A content gap was found.', onCreate),
  ]),
  ...recordTypes('market-scans', [
    recordRule('market_scan.completed', 'A market scan has its findings.', done),
    recordRule('market_scan.failed', 'A market scan failed.', failed),
  ]),
  ...recordTypes('reports', [
    recordRule('report.published', 'A report was published.', onFieldValue('status', 'published')),
    recordRule('report.withdrawn', 'A report was withdrawn.', onFieldValue('status', 'withdrawn')),
  ]),
]
