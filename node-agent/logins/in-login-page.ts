/** The functions of `in-page/logins/logins.ts`, for calls in our isolated worlds. */
import { installedFunctions } from '../../runtime/browser-host/page-functions.ts'
import type * as logins from '../in-page/logins/logins.ts'

export const inLoginPage = installedFunctions<typeof logins>('logins')
