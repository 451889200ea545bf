/** Logins with sites: what `fill_login` fills into forms. */
import type { ConsoleSection } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { changeLogin, changeLoginPage } from './change-login.tsx'
import { deleteLogin, showLogins } from './logins-page.tsx'
import { createLogin, newLoginPage } from './new-login.tsx'

const back = (visit: ConsoleVisit) => ({ to: visit.at('/logins') })
const scope = 'credentials'

export const loginsSection: ConsoleSection = {
  nav: [{ label: 'Logins', path: '/logins', scope }],
  pages: [
    { path: '/logins', scope, show: showLogins },
    { path: '/logins/new', scope, show: newLoginPage, submit: createLogin, again: newLoginPage },
    {
      path: '/logins/{name}/change',
      scope,
      show: changeLoginPage,
      submit: changeLogin,
      again: changeLoginPage,
    },
    { path: '/logins/{name}/delete', scope, show: back, submit: deleteLogin, again: showLogins },
  ],
}
