/**
 * The CDP domains that reach past a page, and the calls in them that clients of a session may make.
 * Calls that Chromium adds later are refused until they are listed here. Written against the
 * protocol of Chromium 156; `test/attack/host/call-what-is-not-listed` checks it against the installed
 * one.
 */

export interface GuardedDomain {
  readonly allowed: readonly string[]
  /** By call, the reason as the end of a sentence. */
  readonly refused: ReadonlyMap<string, string>
}

/** Domains of which clients may call nothing, with the reason. */
export const closedDomains: Readonly<Record<string, string>> = {
  Extensions:
    'it loads what lies on the host, and takes the network policy out of the browser; upload an ' +
    'extension with POST /v1/extensions, and name it in browser.extensions of the session',
  Tethering: 'it listens on a port of the host',
  Cast: 'it looks for devices in the network of the host and sends them the desktop',
  PWA: 'it installs programs for the user of the host, and gives them files by their path',
}

const commandLine = 'it reveals the command line, with folders of the host'

export const guardedDomains: Readonly<Record<string, GuardedDomain>> = {
  Browser: {
    allowed: [
      'addMockCamera',
      'addPrivacySandboxCoordinatorKeyConfig',
      'addPrivacySandboxEnrollmentOverride',
      'cancelDownload',
      'close',
      'crash',
      'crashGpuProcess',
      'getGlobalPrivacyControl',
      'getHistogram',
      'getHistograms',
      'getVersion',
      'getWindowBounds',
      'getWindowForTarget',
      'grantPermissions',
      'resetPermissions',
      'setContentsSize',
      'setDockTile',
      'setDownloadBehavior',
      'setGlobalPrivacyControl',
      'setPermission',
      'setWindowBounds',
    ],
    refused: new Map([
      ['executeBrowserCommand', 'it opens windows of Chromium itself, which see more than a page'],
      ['getBrowserCommandLine', commandLine],
    ]),
  },
  Target: {
    allowed: [
      'activateTarget',
      'attachToBrowserTarget',
      'attachToTarget',
      'autoAttachRelated',
      'closeTarget',
      'createBrowserContext',
      'createTarget',
      'detachFromTarget',
      'disposeBrowserContext',
      'getBrowserContexts',
      'getTargetInfo',
      'getTargets',
      'sendMessageToTarget',
      'setAutoAttach',
      'setDiscoverTargets',
    ],
    refused: new Map([
      ['exposeDevToolsProtocol', 'it gives a page the whole protocol, past this gateway'],
      ['getDevToolsTarget', 'it leads to a DevTools window, which may read what pages may not'],
      ['openDevTools', 'it opens a DevTools window, which may read what pages may not'],
      ['setRemoteLocations', 'it connects the browser to the DevTools of any other'],
    ]),
  },
  SystemInfo: {
    allowed: ['getFeatureState', 'getProcessInfo'],
    refused: new Map([['getInfo', commandLine]]),
  },
  Memory: {
    allowed: [
      'forciblyPurgeJavaScriptMemory',
      'getAllTimeSamplingProfile',
      'getBrowserSamplingProfile',
      'getDOMCounters',
      'getDOMCountersForLeakDetection',
      'getSamplingProfile',
      'prepareForLeakDetection',
      'setPressureNotificationsSuppressed',
      'simulatePressureNotification',
      'startSampling',
      'stopSampling',
    ],
    refused: new Map(),
  },
  Tracing: {
    allowed: [
      'end',
      'getCategories',
      'getTrackEventDescriptor',
      'recordClockSyncMarker',
      'requestMemoryDump',
      'start',
    ],
    refused: new Map(),
  },
  IO: { allowed: ['close', 'read', 'resolveBlob'], refused: new Map() },
}
