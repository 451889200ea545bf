/** How the browser of a session was set up, in words for a list of facts. */
import type { BrowserSetup } from '../../../../../proto/session/setup/browser-setup.ts'

export function setupWords(setup: BrowserSetup): string {
  const { device, permissions = [], headerNames = [], geolocation, block } = setup
  const granted = permissions.filter(({ setting }) => setting === 'granted')
  return [
    device && (device.name ?? `a device of ${device.width} × ${device.height}`),
    setup.locale,
    setup.timezone,
    geolocation && `at ${geolocation.latitude}, ${geolocation.longitude}`,
    setup.colorScheme && `${setup.colorScheme} colours`,
    setup.reducedMotion === 'reduce' && 'reduced motion',
    setup.userAgent !== undefined && 'a user agent of its own',
    granted.length > 0 && `may use ${granted.map(({ name }) => name).join(', ')}`,
    headerNames.length > 0 && `sends ${headerNames.join(', ')}`,
    setup.httpCredentials && `logs in at ${setup.httpCredentials.origin}`,
    setup.ignoreHttpsErrors && 'accepts all certificates',
    setup.deniesDownloads && 'denies downloads',
    setup.hasNoWebgl && 'no WebGL',
    setup.closesDialogs && 'closes dialogs',
    setup.mask && 'hides sensitive data',
    block && `blocks ${Object.keys(block).join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ')
}
