/** Logging in with what the service keeps for a site. */
import { z } from 'zod'
import { siteLoginName } from '../../session/site-login.ts'
import { defineCommand } from '../command.ts'
import { commandLimits } from '../limits.ts'
import { filledOutput } from '../output.ts'

const fillFields = {
  login: siteLoginName.optional().describe('Its name; default: the only one for this site.'),
  submit: z.boolean().default(false).describe('Press Enter after.'),
}

export const fillLoginCommand = defineCommand({
  name: 'fill_login',
  help: 'Fill a login form with a stored login.',
  input: z.object({
    ...fillFields,
    timeout: z
      .number()
      .min(0)
      .max(commandLimits.selectorMaxMs)
      .default(commandLimits.selectorMs)
      .describe('Milliseconds to wait for the form.'),
  }),
  output: filledOutput,
  transport: 'page',
  repeat: 'once',
  tool: {
    name: 'fill_login',
    title: 'Fill in a login',
    modelHelp:
      'Fill in this page’s login form with a stored login, which you never see. If it asks in steps, ' +
      'call it at each.',
    readOnly: false,
    input: z.object(fillFields),
  },
})
