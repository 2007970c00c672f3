/**
 * Runs as a separate process: the service with couriers that respond over a network with a delay of 50 ms. Prints the
 * address and the test key, and runs until it is killed. Arguments: the database, the couriers' records.
 */
import { remoteCourier, startWithCouriers } from './remote-couriers.ts';

const [database = '', books = ''] = process.argv.slice(2);
const { url, keys } = await startWithCouriers({ database, books }, (provider) => remoteCourier(provider));
console.log(JSON.stringify({ url, keys }));
