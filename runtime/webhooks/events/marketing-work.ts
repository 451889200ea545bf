import { becomes, created, on, recordTypes } from './event-type.ts'

/** A partially completed job has a result too; the record says which. */
const done = becomes('status', 'completed', 'partial')
const failed = becomes('status', 'failed')

export const marketingWork = [
  ...recordTypes('seo-audits', [
    on('seo_audit.completed', 'An SEO audit has its findings.', done),
    on('seo_audit.failed', 'An SEO audit failed.', failed),
  ]),
  ...recordTypes('content-gaps', [
    on('content_gap.identified', 'A content gap was found.', created),
  ]),
  ...recordTypes('market-scans', [
    on('market_scan.completed', 'A market scan has its findings.', done),
    on('market_scan.failed', 'A market scan failed.', failed),
  ]),
  ...recordTypes('reports', [
    on('report.published', 'A report was published.', becomes('status', 'published')),
    on('report.withdrawn', 'A report was withdrawn.', becomes('status', 'withdrawn')),
  ]),
]
