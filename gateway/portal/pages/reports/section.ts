/** Reports: findings, measurements or work for a client in a period. */
import { reportMakers } from '../../../access/reports/holders.ts'
import { only, people } from '../../../access/rule.ts'
import { everywhere, type Section } from '../../page.ts'
import { sendContent } from './content.ts'
import { publish, withdraw } from './decide.tsx'
import { saveWords, showWords } from './edit.tsx'
import { showReports } from './list.tsx'
import { makeReport, showNew } from './new.tsx'
import { showReport } from './report.tsx'

const common = { in: everywhere, who: people } as const
const ofMakers = { in: ['staff'], who: only(...reportMakers) } as const
const ofStaff = { in: ['staff'], again: showReport } as const

export const reports: Section = {
  group: '',
  nav: [{ ...common, label: 'Reports', path: '/reports' }],
  pages: [
    { ...common, path: '/reports', show: showReports },
    { ...ofMakers, path: '/reports/new', show: showNew, submit: makeReport },
    { ...common, path: '/reports/{id}', show: showReport },
    { ...common, path: '/reports/{id}/content/{format}', show: sendContent },
    { ...ofMakers, path: '/reports/{id}/edit', show: showWords, submit: saveWords },
    { ...ofStaff, path: '/reports/{id}/publish', submit: publish },
    { ...ofStaff, path: '/reports/{id}/withdraw', submit: withdraw },
  ],
}
