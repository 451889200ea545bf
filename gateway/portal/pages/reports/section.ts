/** Reports: findings, measurements or work for a client in a period. */
import { reportMakers } from '../../../access/reports/holders.ts'
import { onlyRoles, peopleRule } from '../../../routing/auth/access-rule.ts'
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { sendContent } from './content.ts'
import { publishReport, withdrawReport } from './decide.tsx'
import { saveReportEdit, showReportEdit } from './edit.tsx'
import { showReports } from './list.tsx'
import { makeReport, showNewReport } from './new.tsx'
import { showReport } from './report.tsx'

const common = { in: bothSurfaces, who: peopleRule } as const
const ofMakers = { in: ['staff'], who: onlyRoles(...reportMakers) } as const
const ofStaff = { in: ['staff'], again: showReport } as const

export const reportsSection: PortalSection = {
  group: '',
  nav: [{ ...common, label: 'Reports', path: '/reports' }],
  pages: [
    { ...common, path: '/reports', show: showReports },
    { ...ofMakers, path: '/reports/new', show: showNewReport, submit: makeReport },
    { ...common, path: '/reports/{id}', show: showReport },
    { ...common, path: '/reports/{id}/content/{format}', show: sendContent },
    { ...ofMakers, path: '/reports/{id}/edit', show: showReportEdit, submit: saveReportEdit },
    { ...ofStaff, path: '/reports/{id}/publish', submit: publishReport },
    { ...ofStaff, path: '/reports/{id}/withdraw', submit: withdrawReport },
  ],
}
