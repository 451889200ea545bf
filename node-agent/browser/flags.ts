/** Chromium's command line and first preferences. Measured reasons are in ../README.md. */
import { screenFor } from '../display/screen.ts'
import type { Size } from './page.ts'
import type { Shape } from './shape.ts'

/**
 * Two hidden pages for the address bar's pop-ups cost 55 MiB and half a second of CPU a browser;
 * the others phone home or put bubbles over the page.
 */
const featuresOff = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'OptimizationGuideModelDownloading',
  'OptimizationHints',
  'Translate',
]

/** No automation switch is among them: pages and clients see the browser as Chromium made it. */
const always = [
  '--remote-debugging-pipe',
  `--disable-features=${featuresOff.join(',')}`,
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--noerrdialogs',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-quic',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  // For the agent's own line alone: it loads what restricts the network of a claimed browser.
  '--enable-unsafe-extension-debugging',
  '--hide-crash-restore-bubble',
  '--metrics-recording-only',
  '--password-store=basic',
]

const headless = [
  '--headless=new',
  // Larger than the default window, as on a desk; a window that needs more gets a larger screen.
  '--screen-info={1920x1200}',
]

/** Without the scale Chromium works it out from the screen's millimetres, and is a pixel off. */
const headful = ['--ozone-platform=x11', '--force-device-scale-factor=1']

export interface FlagOptions {
  readonly shape: Shape
  readonly profile: string
  readonly sandbox: boolean
  /** Any free one when it is absent. */
  readonly devtoolsPort?: number
  /** Free of credentials: Chromium has no flag for those. */
  readonly proxyServer?: string
}

export function chromiumFlags({
  shape,
  profile,
  sandbox,
  devtoolsPort = 0,
  proxyServer,
}: FlagOptions): string[] {
  const unsafe = [
    ...(sandbox ? [] : ['--no-sandbox']),
    // Site isolation would keep frames of other sites out of reach even without the policy.
    ...(shape.disableWebSecurity
      ? ['--disable-web-security', '--disable-site-isolation-trials']
      : []),
  ]
  return [
    ...(shape.desktop ? headful : headless),
    ...always,
    `--remote-debugging-port=${devtoolsPort}`,
    `--user-data-dir=${profile}`,
    ...unsafe,
    // Chromium warns of such flags in a bar over the page, 56 px of the viewport; this keeps the
    // bar away.
    ...(unsafe.length > 0 ? ['--test-type'] : []),
    ...(shape.popupBlocker ? [] : ['--disable-popup-blocking']),
    // Loopback goes through the proxy too: a session with a proxy has no other way out.
    ...(proxyServer === undefined
      ? []
      : [`--proxy-server=${proxyServer}`, '--proxy-bypass-list=<-loopback>']),
    'about:blank',
  ]
}

/**
 * Holds the default viewport with the frame around it, so that the first page need not be resized.
 */
const firstWindow = {
  left: 10,
  top: 10,
  right: 10 + 1440,
  bottom: 10 + 987,
  maximized: false,
  work_area_left: 0,
  work_area_top: 0,
  work_area_right: 1920,
  work_area_bottom: 1200,
}

/**
 * Smaller until it is maximized: a window that asks for the whole screen is made a pixel smaller by
 * Chromium, which then believes in that.
 */
function wholeScreen({ width, height }: Size) {
  return {
    left: 0,
    top: 0,
    right: width - 10,
    bottom: height - 10,
    maximized: true,
    work_area_left: 0,
    work_area_top: 0,
    work_area_right: width,
    work_area_bottom: height,
  }
}

/** The profile's first `Preferences`, for what has no flag. */
export function profilePreferences(shape: Shape, downloads: string): unknown {
  return {
    // A window that fills its screen has no use for a title bar, its own or the window manager's.
    browser: shape.desktop
      ? { custom_chrome_frame: false, window_placement: wholeScreen(screenFor(shape.desktop)) }
      : { window_placement: firstWindow },
    download: { default_directory: downloads, prompt_for_download: false },
    // A client's own download behaviour ends with its connection; this is what is left then.
    savefile: { default_directory: downloads },
    plugins: { always_open_pdf_externally: !shape.pdfViewer },
    credentials_enable_service: false,
    profile: { password_manager_enabled: false },
  }
}
